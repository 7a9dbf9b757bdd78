// How the first kernel of a process comes to the GPU.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace gpugauge::bench::first_launch {

/// The modes, as they stand in ids.
inline constexpr const char* lazy = "lazy";          ///< machine code, loaded when a kernel is first launched
inline constexpr const char* eager = "eager";        ///< machine code, all of it loaded with the context
inline constexpr const char* jit_cold = "jit_cold";  ///< PTX, compiled by the driver, whose cache is empty
inline constexpr const char* jit_warm = "jit_warm";  ///< PTX, found compiled in the driver's cache

inline bool is_jit(const std::string& mode) {
  return mode == jit_cold || mode == jit_warm;
}

/// The variables that bring a mode about; nullopt takes one away. `cache` is the folder of the driver's
/// cache. CUDA_CACHE_DISABLE stays as the user has it: a cache that is switched off is a fault to be seen.
inline std::map<std::string, std::optional<std::string>> environment_of(const std::string& mode,
                                                                        const std::string& cache) {
  if (!is_jit(mode))
    return {{"CUDA_MODULE_LOADING", mode == eager ? "EAGER" : "LAZY"}, {"CUDA_FORCE_PTX_JIT", std::nullopt}};
  // Lazy: of the other kernels in the executable, which have no PTX, none may be loaded.
  return {{"CUDA_MODULE_LOADING", "LAZY"}, {"CUDA_FORCE_PTX_JIT", "1"}, {"CUDA_CACHE_PATH", cache}};
}

/// Whether a driver that supports CUDA `driver_version` refuses PTX of a toolkit of `toolkit_version` (12040
/// for 12.4; 0 = unknown: not known to). A driver of the same major version runs newer machine code, but not
/// newer PTX, whatever architecture that was made for (CUDA Compatibility, "Minor Version Compatibility").
constexpr bool refuses_ptx(int driver_version, int toolkit_version) {
  return driver_version > 0 && driver_version < toolkit_version;
}

/// Why a kernel that came from `ptx_version` (75 for 7.5, what its code was made for) does not show the mode
/// on a GPU of `compute_capability`, or nullopt. `embedded` is the PTX that this family holds.
inline std::optional<std::string> why_not_shown(const std::string& mode, int ptx_version,
                                                int compute_capability, int embedded) {
  if (compute_capability == embedded) return std::nullopt;  // both are the same number: nothing can be told
  const bool from_ptx = ptx_version == embedded;
  if (is_jit(mode) && !from_ptx) return "the driver took machine code although CUDA_FORCE_PTX_JIT was set";
  if (!is_jit(mode) && from_ptx)
    return "this build holds no machine code for this GPU: the driver compiles it from PTX";
  return std::nullopt;
}

}  // namespace gpugauge::bench::first_launch
