// How healthy NVML says that a GPU is: faults of its memory, and errors that the driver reports (Xid).
#pragma once

#include <map>
#include <string_view>
#include <vector>

namespace gpugauge::run {

/// NVML's handle of a GPU, owned by the library.
using NvmlGpu = struct nvmlDevice_st*;

/// Asks an NVML that is initialised. Every call may hang or crash with a broken driver.
class NvmlHealth {
 public:
  /// What a GPU says under the name of a series (result/gpu_health.hpp).
  struct Value {
    std::string_view series;  ///< "remap_failed"
    double value = 0;         ///< 1 or 0, or a count
  };
  /// An Xid.
  struct Error {
    NvmlGpu gpu = nullptr;          ///< that it is of
    unsigned long long number = 0;  ///< 79; 999 where NVML itself does not know it
  };

  /// `library` is what dlopen() gave, and must outlive it. A library without a function answers nothing.
  explicit NvmlHealth(void* library);
  ~NvmlHealth();
  NvmlHealth(const NvmlHealth&) = delete;
  NvmlHealth& operator=(const NvmlHealth&) = delete;

  /// Hears of the GPU's Xids from now on; what came before is not told. Any user may.
  void listen(NvmlGpu gpu);
  /// The Xids since it was last asked, oldest first, at most 64 of them; never waits.
  std::vector<Error> errors();
  /// What the GPU answers now, and nothing for what it does not have. Uncorrected errors that were counted
  /// meanwhile are told from the second time on.
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
  Events events_ = nullptr;                      ///< nullptr: nothing is heard
  std::map<NvmlGpu, unsigned long long> first_;  ///< uncorrected errors when the GPU was first asked
};

}  // namespace gpugauge::run
