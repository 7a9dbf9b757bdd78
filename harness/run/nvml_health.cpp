#include "run/nvml_health.hpp"

#include <cstddef>

#include <dlfcn.h>

#include "result/gpu_health.hpp"

namespace gpugauge::run {
namespace {

constexpr int nvml_done = 0;                    // NVML_SUCCESS
constexpr int nvml_unknown = 999;               // NVML_ERROR_UNKNOWN: the event set is no longer usable
constexpr unsigned long long xid_event = 8;     // nvmlEventTypeXidCriticalError
constexpr int uncorrected = 1;                  // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
constexpr int since_the_driver_was_loaded = 0;  // NVML_VOLATILE_ECC

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

/// Same layout as nvmlEventData_t.
struct NvmlHealth::Event {
  NvmlGpu gpu;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

NvmlHealth::NvmlHealth(void* library) {
  look_up(library, "nvmlDeviceGetRemappedRows", remapped_);
  look_up(library, "nvmlDeviceGetRetiredPagesPendingStatus", pages_pending_);
  look_up(library, "nvmlDeviceGetTotalEccErrors", ecc_errors_);
  look_up(library, "nvmlEventSetCreate", create_);
  look_up(library, "nvmlDeviceRegisterEvents", register_);
  look_up(library, "nvmlEventSetWait_v2", wait_);
  look_up(library, "nvmlEventSetFree", free_);
  static_assert(sizeof(Event) == 32);
  if (create_ == nullptr || register_ == nullptr || wait_ == nullptr || free_ == nullptr ||
      create_(&events_) != nvml_done)
    events_ = nullptr;
}

NvmlHealth::~NvmlHealth() {
  stop_listening();
}

void NvmlHealth::stop_listening() {
  if (events_ != nullptr) free_(events_);
  events_ = nullptr;
}

void NvmlHealth::listen(NvmlGpu gpu) {
  if (events_ != nullptr && register_(gpu, xid_event, events_) == nvml_unknown) stop_listening();
}

std::vector<NvmlHealth::Error> NvmlHealth::errors() {
  constexpr std::size_t errors_most = 64;
  std::vector<Error> out;
  Event event{};
  while (events_ != nullptr && out.size() < errors_most && wait_(events_, &event, 0) == nvml_done)
    if (event.type == xid_event) out.push_back({event.gpu, event.data});
  return out;
}

std::vector<NvmlHealth::Value> NvmlHealth::ask(NvmlGpu gpu) {
  std::vector<Value> out;
  add_rows(gpu, out);
  add_pages(gpu, out);
  add_uncorrected(gpu, out);
  return out;
}

void NvmlHealth::add_rows(NvmlGpu gpu, std::vector<Value>& out) const {
  unsigned corrected_rows = 0, uncorrected_rows = 0, pending = 0, failed = 0;
  if (remapped_ == nullptr ||
      remapped_(gpu, &corrected_rows, &uncorrected_rows, &pending, &failed) != nvml_done)
    return;
  out.push_back({result::remapped_correctable_series, static_cast<double>(corrected_rows)});
  out.push_back({result::remapped_uncorrectable_series, static_cast<double>(uncorrected_rows)});
  out.push_back({result::remap_pending.fact, pending != 0 ? 1.0 : 0.0});
  out.push_back({result::remap_failed.fact, failed != 0 ? 1.0 : 0.0});
}

void NvmlHealth::add_pages(NvmlGpu gpu, std::vector<Value>& out) const {
  unsigned pending = 0;
  if (pages_pending_ != nullptr && pages_pending_(gpu, &pending) == nvml_done)
    out.push_back({result::retired_pages_pending.fact, pending != 0 ? 1.0 : 0.0});
}

void NvmlHealth::add_uncorrected(NvmlGpu gpu, std::vector<Value>& out) {
  unsigned long long count = 0;
  if (ecc_errors_ == nullptr ||
      ecc_errors_(gpu, uncorrected, since_the_driver_was_loaded, &count) != nvml_done)
    return;
  out.push_back({result::ecc_uncorrected.fact, static_cast<double>(count)});
  const auto [first, asked_first] = first_.emplace(gpu, count);
  // A count that fell was reset, so the increase is unknown.
  if (!asked_first && count >= first->second)
    out.push_back({result::ecc_meanwhile_series, static_cast<double>(count - first->second)});
}

}  // namespace gpugauge::run
