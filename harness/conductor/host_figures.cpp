#include "conductor/host_figures.hpp"

#include <algorithm>
#include <iterator>

#include "conductor/diagnosed.hpp"
#include "diagnose/seen.hpp"
#include "result/device_kind.hpp"

namespace gpugauge::conductor {
namespace {

bool of_host(const report::DeviceReport& device) {
  return !device.rounds.empty() && result::is_host(device.rounds.front().device);
}

bool is_of_host(const diagnose::Metric& metric) {
  return metric.metric_class == "host_cpu" || metric.metric_class == "host_memory";
}

}  // namespace

std::vector<std::size_t> share_host_figures(std::vector<report::DeviceReport>& devices) {
  std::vector<std::size_t> shared;
  const auto host = std::find_if(devices.begin(), devices.end(), of_host);
  if (host == devices.end() || !host->observation) return shared;
  std::vector<diagnose::Metric> figures;
  std::copy_if(host->observation->metrics.begin(), host->observation->metrics.end(),
               std::back_inserter(figures), is_of_host);
  if (figures.empty()) return shared;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    report::DeviceReport& device = devices[i];
    // A healthy GPU does not answer for the host.
    if (of_host(device) || !device.observation || !diagnose::Seen(*device.observation).harm()) continue;
    auto& metrics = device.observation->metrics;
    if (std::any_of(metrics.begin(), metrics.end(), is_of_host)) continue;
    metrics.insert(metrics.end(), figures.begin(), figures.end());
    device.diagnosis = diagnosed(device);
    shared.push_back(i);
  }
  return shared;
}

}  // namespace gpugauge::conductor
