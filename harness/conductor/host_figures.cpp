#include "conductor/host_figures.hpp"

#include <algorithm>
#include <iterator>

#include "diagnose/seen.hpp"

namespace gpugauge::conductor {
namespace {

bool is_host(const report::DeviceReport& device) {
  return !device.rounds.empty() && device.rounds.front().device == "host";
}

bool is_of_host(const diagnose::Metric& metric) {
  return metric.metric_class == "host_cpu" || metric.metric_class == "host_memory";
}

}  // namespace

void share_host_figures(std::vector<report::DeviceReport>& devices) {
  const auto host = std::find_if(devices.begin(), devices.end(), is_host);
  if (host == devices.end() || !host->observation) return;
  std::vector<diagnose::Metric> figures;
  std::copy_if(host->observation->metrics.begin(), host->observation->metrics.end(),
               std::back_inserter(figures), is_of_host);
  if (figures.empty()) return;
  for (report::DeviceReport& device : devices) {
    // A healthy GPU does not answer for the host.
    if (is_host(device) || !device.observation || !diagnose::Seen(*device.observation).harm()) continue;
    auto& metrics = device.observation->metrics;
    if (std::any_of(metrics.begin(), metrics.end(), is_of_host)) continue;
    metrics.insert(metrics.end(), figures.begin(), figures.end());
    device.diagnosis = diagnose::diagnose(*device.observation);
  }
}

}  // namespace gpugauge::conductor
