#include "diagnose/told/told.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "diagnose/seen.hpp"
#include "stack/plan/plan_gpu_models.hpp"

namespace gpugauge::diagnose {
namespace {

void add_from(const TextLineList& sentences, Observation& seen) {
  for (Probe& tried : tried_of(sentences)) seen.probes.push_back(std::move(tried));
  for (auto& [component, change] : changes_of(sentences)) {
    if (!seen.changed) seen.changed.emplace();
    seen.changed->insert({component, change});
  }
}

/// Variables that keep a GPU or a library from a process. The others make it slower, or are set to look for a fault:
/// beside an error alone they tell nothing.
bool hides(std::string_view name) {
  return name.ends_with("VISIBLE_DEVICES") || name == "LD_LIBRARY_PATH" ||
         name == "NVIDIA_DRIVER_CAPABILITIES";
}

}  // namespace

void read_words(const std::string& says, Observation& seen) {
  add_from(sentences_of({says}), seen);
}

void read_log(Observation& seen) {
  const TextLineList sentences = sentences_of(seen.log);
  if (seen.metrics.empty())
    for (Metric& figure : complaints_of(sentences)) seen.metrics.push_back(std::move(figure));
  // A first call or a start is slow by itself: no variable is needed for that.
  const bool work = std::any_of(seen.metrics.begin(), seen.metrics.end(),
                                [](const Metric& figure) { return figure.scope.phase.empty(); });
  if (auto peers = peer_matrix_of(seen.log)) seen.metrics.push_back(*std::move(peers));
  if (!seen.metrics.empty() || !seen.errors.empty() ||
      std::any_of(seen.log.begin(), seen.log.end(), tells_of_harm))
    add_from(sentences, seen);
  for (auto& [name, value] : variables_of(seen.log))
    if (work || hides(name)) seen.environment.insert({name, value});
  if (seen.about.gpu.empty()) seen.about.gpu = gpu_of(seen.log);
  add_printed_facts(seen);
  if (const auto model = stack::gpu_model(seen.about.gpu); model && seen.about.compute_capability.empty())
    seen.about.compute_capability = model->compute_capability.text();
}

}  // namespace gpugauge::diagnose
