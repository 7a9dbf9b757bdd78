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
  bool opened = false;   ///< it was found and loaded; of libcuda also: it is NVIDIA's
  bool missing = false;  ///< the loader found no such file (else it found one and could not use it)
  bool refused = false;  ///< the loader was not asked: it would take one of the working folder
  std::string error;     ///< the loader's words, or why it was not asked, unless opened
  std::string path;      ///< real path, symbolic links resolved
  std::string version;   ///< what the file name says after ".so.": "580.65.06"
};

/// What libcuda says of a device beyond a Gpu; 0 where it does not say.
struct CudaFigures {
  int multiprocessors = 0;  ///< of the device that this process sees, so of a MIG instance where it is one
  int l2_persisting_bytes = 0;          ///< of L2 that may be set aside for data that stays, at most
  unsigned long long memory_bytes = 0;  ///< in all, used or not
};

/// What libcuda answered.
struct CudaAnswer {
  OpenedLibrary library;             ///< libcuda; the rest is empty unless it was opened
  int version = 0;                   ///< cuDriverGetVersion: 13000 is CUDA 13.0; 0 if it did not say
  int code = 0;                      ///< first error, 0 if there was none
  std::string call;                  ///< the call that returned it: "cuInit"
  std::vector<Gpu> gpus;             ///< those that answered before the first error, without settings
  std::vector<CudaFigures> figures;  ///< of each of gpus
  std::string error_name;            ///< libcuda's own name of the code: "CUDA_ERROR_NO_DEVICE"
  double init_seconds = 0;           ///< how long cuInit took
};
/// Opens it, starts CUDA (cuInit) and asks every device that it shows, until the first error.
CudaAnswer ask_cuda(const std::string& soname = "libcuda.so.1");

/// What NVML answered.
struct NvmlAnswer {
  OpenedLibrary library;  ///< libnvidia-ml; the rest is empty unless it was opened
  int code = 0;           ///< first error of initialisation, 0 if there was none; 18 is a version mismatch
  std::string driver_version;  ///< "580.65.06"; "" where it did not say
  int devices = 0;             ///< count, whatever CUDA_VISIBLE_DEVICES says
};
/// Also fills the settings of `gpus` by their UUIDs, as far as NVML answers.
NvmlAnswer ask_nvml(std::vector<Gpu>& gpus, const std::string& soname = "libnvidia-ml.so.1");

}  // namespace gpugauge::stack
