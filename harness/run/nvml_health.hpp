// GPU health according to NVML: memory faults, and errors that the driver reports (Xid).
#pragma once

#include <map>
#include <string_view>
#include <vector>

namespace gpugauge::run {

/// NVML's handle of a GPU, owned by the library.
using NvmlGpu = struct nvmlDevice_st*;

/// Asks an initialised NVML. Every call may hang or crash with a broken driver.
class NvmlHealth {
 public:
  /// A value of a GPU, by the name of its series (result/gpu_health.hpp).
  struct Value {
    std::string_view series;  ///< "remap_failed"
    double value = 0;         ///< 1 or 0, or a count
  };
  /// An Xid.
  struct Error {
    NvmlGpu gpu = nullptr;          ///< the affected GPU
    unsigned long long number = 0;  ///< 79; 999 if NVML itself does not know the number
  };

  /// `library` comes from dlopen() and must outlive this object. A missing function answers nothing.
  explicit NvmlHealth(void* library);
  ~NvmlHealth();
  NvmlHealth(const NvmlHealth&) = delete;
  NvmlHealth& operator=(const NvmlHealth&) = delete;

  /// Starts to record the GPU's Xids; earlier ones are not reported. Needs no privileges.
  void listen(NvmlGpu gpu);
  /// The Xids since the last call, oldest first, at most 64; never waits.
  std::vector<Error> errors();
  /// The GPU's current values; nothing for what it does not support. From the second call on it
  /// also reports how far uncorrected errors rose since the first.
  std::vector<Value> ask(NvmlGpu gpu);

 private:
  struct Event;
  using Events = struct nvmlEventSet_st*;

  void add_rows(NvmlGpu gpu, std::vector<Value>& out) const;
  void add_pages(NvmlGpu gpu, std::vector<Value>& out) const;
  void add_uncorrected(NvmlGpu gpu, std::vector<Value>& out);
  void stop_listening();

  int (*remapped_)(NvmlGpu, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
  int (*pages_pending_)(NvmlGpu, unsigned*) = nullptr;
  int (*ecc_errors_)(NvmlGpu, int, int, unsigned long long*) = nullptr;
  int (*create_)(Events*) = nullptr;
  int (*register_)(NvmlGpu, unsigned long long, Events) = nullptr;
  int (*wait_)(Events, Event*, unsigned) = nullptr;
  int (*free_)(Events) = nullptr;
  Events events_ = nullptr;                      ///< nullptr: not listening
  std::map<NvmlGpu, unsigned long long> first_;  ///< uncorrected errors at the first ask()
};

}  // namespace gpugauge::run
