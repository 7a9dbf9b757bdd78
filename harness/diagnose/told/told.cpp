#include "diagnose/told/told.hpp"

#include <utility>

namespace gpugauge::diagnose {

void read_log(Observation& seen) {
  const TextLineList sentences = sentences_of(seen.log);
  if (seen.metrics.empty())
    for (Metric& figure : complaints_of(sentences)) seen.metrics.push_back(std::move(figure));
  if (auto peers = peer_matrix_of(seen.log)) seen.metrics.push_back(*std::move(peers));
  for (Probe& tried : tried_of(sentences)) seen.probes.push_back(std::move(tried));
  for (auto& [name, value] : variables_of(seen.log)) seen.environment.insert({name, value});
  if (seen.about.gpu.empty()) seen.about.gpu = gpu_of(seen.log);
  for (auto& [component, change] : changes_of(sentences)) {
    if (!seen.changed) seen.changed.emplace();
    seen.changed->insert({component, change});
  }
}

}  // namespace gpugauge::diagnose
