// GPU health according to NVML: memory faults, and errors that the driver reports (Xid).
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "stack/nvml.hpp"

namespace gpugauge::run {

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
    stack::nvml::Device gpu = nullptr;  ///< the affected GPU
    unsigned long long number = 0;      ///< 79; 999 if NVML itself does not know the number
  };

  /// `library` must outlive this object. A missing function answers nothing.
  explicit NvmlHealth(const stack::SharedObject& library);
  ~NvmlHealth();
  NvmlHealth(const NvmlHealth&) = delete;
  NvmlHealth& operator=(const NvmlHealth&) = delete;

  /// Starts to record the GPU's Xids; earlier ones are not reported. Needs no privileges.
  void listen(stack::nvml::Device gpu);
  /// The Xids since the last call, oldest first, at most 64; never waits.
  std::vector<Error> errors();
  /// The GPU's current values; nothing for what it does not support. From the second call on it
  /// also reports how far uncorrected errors rose since the first.
  std::vector<Value> ask(stack::nvml::Device gpu);

 private:
  void add_rows(stack::nvml::Device gpu, std::vector<Value>& out) const;
  void add_pages(stack::nvml::Device gpu, std::vector<Value>& out) const;
  void add_uncorrected(stack::nvml::Device gpu, std::vector<Value>& out);
  void stop_listening();

  const stack::SharedObject& library_;
  stack::nvml::EventSet events_ = nullptr;                   ///< nullptr: not listening
  std::map<stack::nvml::Device, unsigned long long> first_;  ///< uncorrected errors at the first ask()
};

}  // namespace gpugauge::run
