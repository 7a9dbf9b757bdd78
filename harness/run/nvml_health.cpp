#include "run/nvml_health.hpp"

#include <cstddef>

#include "result/gpu_health.hpp"

namespace gpugauge::run {
namespace nvml = stack::nvml;
using stack::call_nvml;

NvmlHealth::NvmlHealth(const stack::SharedObject& library) : library_(library) {
  const bool whole = library.find(nvml::register_events) != nullptr &&
                     library.find(nvml::event_set_wait) != nullptr &&
                     library.find(nvml::event_set_free) != nullptr;
  if (!whole || call_nvml(library, nvml::event_set_create, &events_) != nvml::success) events_ = nullptr;
}

NvmlHealth::~NvmlHealth() {
  stop_listening();
}

void NvmlHealth::stop_listening() {
  if (events_ != nullptr) call_nvml(library_, nvml::event_set_free, events_);
  events_ = nullptr;
}

void NvmlHealth::listen(nvml::Device gpu) {
  // After an unknown error the set is no longer usable.
  if (events_ != nullptr &&
      call_nvml(library_, nvml::register_events, gpu, nvml::event_xid, events_) == nvml::unknown_error)
    stop_listening();
}

std::vector<NvmlHealth::Error> NvmlHealth::errors() {
  constexpr std::size_t errors_most = 64;
  std::vector<Error> out;
  nvml::Event event{};
  while (events_ != nullptr && out.size() < errors_most &&
         call_nvml(library_, nvml::event_set_wait, events_, &event, 0U) == nvml::success)
    if (event.type == nvml::event_xid) out.push_back({event.device, event.data});
  return out;
}

std::vector<NvmlHealth::Value> NvmlHealth::ask(nvml::Device gpu) {
  std::vector<Value> out;
  add_rows(gpu, out);
  add_pages(gpu, out);
  add_uncorrected(gpu, out);
  return out;
}

void NvmlHealth::add_rows(nvml::Device gpu, std::vector<Value>& out) const {
  unsigned corrected_rows = 0, uncorrected_rows = 0, pending = 0, failed = 0;
  if (call_nvml(library_, nvml::remapped_rows, gpu, &corrected_rows, &uncorrected_rows, &pending, &failed) !=
      nvml::success)
    return;
  out.push_back({result::remapped_correctable_series, static_cast<double>(corrected_rows)});
  out.push_back({result::remapped_uncorrectable_series, static_cast<double>(uncorrected_rows)});
  out.push_back({result::remap_pending.fact, pending != 0 ? 1.0 : 0.0});
  out.push_back({result::remap_failed.fact, failed != 0 ? 1.0 : 0.0});
}

void NvmlHealth::add_pages(nvml::Device gpu, std::vector<Value>& out) const {
  unsigned pending = 0;
  if (call_nvml(library_, nvml::retired_pending, gpu, &pending) == nvml::success)
    out.push_back({result::retired_pages_pending.fact, pending != 0 ? 1.0 : 0.0});
}

void NvmlHealth::add_uncorrected(nvml::Device gpu, std::vector<Value>& out) {
  unsigned long long count = 0;
  if (call_nvml(library_, nvml::ecc_errors, gpu, nvml::uncorrected, nvml::since_driver_load, &count) !=
      nvml::success)
    return;
  out.push_back({result::ecc_uncorrected.fact, static_cast<double>(count)});
  const auto [first, asked_first] = first_.emplace(gpu, count);
  // A count that fell was reset, so the increase is unknown.
  if (!asked_first && count >= first->second)
    out.push_back({result::ecc_meanwhile_series, static_cast<double>(count - first->second)});
}

}  // namespace gpugauge::run
