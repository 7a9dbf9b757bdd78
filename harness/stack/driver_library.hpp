// Asks NVIDIA's driver libraries, opened at run time. Declares the few entry points used from the documented
// driver API and NVML, so it needs no CUDA header. Every call may hang or crash with a broken driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/gpu_report.hpp"

namespace gpugauge::stack {

/// The result of the loader's own search for a library.
struct OpenedLibrary {
  bool opened = false;   ///< found and loaded; for libcuda also: it is NVIDIA's
  bool missing = false;  ///< the loader found no such file; otherwise it found one but could not use it
  bool refused = false;  ///< the loader was not asked, because it would take a file in the working folder
  std::string error;     ///< the loader's message, or why it was not asked; "" if opened
  std::string path;      ///< real path, symbolic links resolved
  std::string version;   ///< the part of the file name after ".so.": "580.65.06"
};

/// libcuda's figures for a device beyond those of Gpu; 0 if it does not say.
struct CudaFigures {
  int multiprocessors = 0;      ///< of the device this process sees; for a MIG instance, the instance's
  int l2_persisting_bytes = 0;  ///< most bytes of L2 that can be reserved for persistent data
  unsigned long long memory_bytes = 0;  ///< total, used or not
};

/// libcuda's answers.
struct CudaAnswer {
  OpenedLibrary library;             ///< libcuda; the rest is empty unless it was opened
  int version = 0;                   ///< cuDriverGetVersion: 13000 is CUDA 13.0; 0 if it did not say
  int code = 0;                      ///< first error; 0 if there was none
  std::string call;                  ///< the call that returned it: "cuInit"
  std::vector<Gpu> gpus;             ///< devices that answered before the first error, without settings
  std::vector<CudaFigures> figures;  ///< one per entry of gpus
  std::string error_name;            ///< libcuda's own name of the code: "CUDA_ERROR_NO_DEVICE"
  double init_seconds = 0;           ///< duration of cuInit
};
/// Opens libcuda, calls cuInit and asks every visible device, until the first error.
CudaAnswer ask_cuda(const std::string& soname = "libcuda.so.1");

/// NVML's answers.
struct NvmlAnswer {
  OpenedLibrary library;  ///< libnvidia-ml; the rest is empty unless it was opened
  int code = 0;           ///< first error of initialisation; 0 if there was none; 18 is a version mismatch
  std::string driver_version;  ///< "580.65.06"; "" if it did not say
  int devices = 0;  ///< number of devices, regardless of CUDA_VISIBLE_DEVICES; 0 where no int holds it
};
/// Asks NVML. Also fills the settings of `gpus` by their UUIDs, as far as NVML answers.
NvmlAnswer ask_nvml(std::vector<Gpu>& gpus, const std::string& soname = "libnvidia-ml.so.1");

}  // namespace gpugauge::stack
