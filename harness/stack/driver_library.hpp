// Asks NVIDIA's driver libraries, opened at run time. The few entry points used are declared here from the
// documented driver API and NVML, so that no CUDA header is needed. Every call may hang or crash with a
// broken driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/gpu_report.hpp"

namespace gpugauge::stack {

/// How a library was found by the loader's own search.
struct OpenedLibrary {
  bool opened = false;
  bool missing = false;  ///< the loader found no such file (else it found one and could not use it)
  std::string error;     ///< the loader's words unless opened
  std::string path;      ///< real path, symbolic links resolved
  std::string version;   ///< what the file name says after ".so.": "580.65.06"
};

/// What libcuda says of a device beyond a Gpu; 0 where it does not say.
struct CudaFigures {
  int multiprocessors = 0;
  int l2_persisting_bytes = 0;  ///< of L2 that may be set aside for data that stays, at most
  unsigned long long memory_bytes = 0;
};

/// What libcuda answered.
struct CudaAnswer {
  OpenedLibrary library;
  int version = 0;   ///< cuDriverGetVersion: 13000 is CUDA 13.0; 0 if it did not say
  int code = 0;      ///< first error, 0 if there was none
  std::string call;  ///< the call that returned it: "cuInit"
  std::vector<Gpu> gpus;
  std::vector<CudaFigures> figures;  ///< of each of gpus
  std::string error_name;            ///< libcuda's own name of the code: "CUDA_ERROR_NO_DEVICE"
  double init_seconds = 0;           ///< how long cuInit took
};
CudaAnswer ask_cuda(const std::string& soname = "libcuda.so.1");

/// What NVML answered.
struct NvmlAnswer {
  OpenedLibrary library;
  int code = 0;  ///< first error of initialisation, 0 if there was none; 18 is a version mismatch
  std::string driver_version;
  int devices = 0;  ///< count, whatever CUDA_VISIBLE_DEVICES says
};
/// Also fills the settings of `gpus` by their UUIDs, as far as NVML answers.
NvmlAnswer ask_nvml(std::vector<Gpu>& gpus, const std::string& soname = "libnvidia-ml.so.1");

}  // namespace gpugauge::stack
