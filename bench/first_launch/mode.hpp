// How the first kernel of a process is loaded onto the GPU.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace gpugauge::bench::first_launch {

/// The modes, as written in ids.
inline constexpr const char* lazy = "lazy";          ///< machine code, loaded when a kernel is first launched
inline constexpr const char* eager = "eager";        ///< machine code, all loaded when the context is made
inline constexpr const char* jit_cold = "jit_cold";  ///< PTX, compiled by the driver; its cache is empty
inline constexpr const char* jit_warm = "jit_warm";  ///< PTX, and the driver's cache is filled

/// "0.198 s".
inline std::string seconds_text(double seconds) {
  return fmt::format("{:.3f} s", seconds);
}

inline bool is_jit(const std::string& mode) {
  return mode == jit_cold || mode == jit_warm;
}

/// The environment variables that select a mode; nullopt removes one. `cache` is the folder of the driver's
/// cache. CUDA_CACHE_DISABLE is left unchanged, so that a switched-off cache shows as a fault.
inline std::map<std::string, std::optional<std::string>> environment_of(const std::string& mode,
                                                                        const std::string& cache) {
  if (!is_jit(mode))
    return {{"CUDA_MODULE_LOADING", mode == eager ? "EAGER" : "LAZY"}, {"CUDA_FORCE_PTX_JIT", std::nullopt}};
  // Lazy, because the other kernels in the executable have no PTX and must not be loaded.
  return {{"CUDA_MODULE_LOADING", "LAZY"}, {"CUDA_FORCE_PTX_JIT", "1"}, {"CUDA_CACHE_PATH", cache}};
}

/// Note: whether a start took less than half of the one that filled the cache, both in seconds. A driver that
/// compiles anew takes about as long again.
inline std::string cache_used(double filling, double later) {
  return later < filling / 2 ? "yes" : "not seen: " + seconds_text(later) + " after " + seconds_text(filling);
}

/// Whether a driver that supports CUDA `driver_version` refuses PTX of a toolkit of `toolkit_version` (12040
/// for 12.4; 0 = unknown, gives false). A driver of the same major version runs newer machine code but not
/// newer PTX, whatever its target architecture (CUDA Compatibility, "Minor Version Compatibility").
constexpr bool refuses_ptx(int driver_version, int toolkit_version) {
  return driver_version > 0 && driver_version < toolkit_version;
}

/// Returns why a kernel loaded from `ptx_version` (75 for 7.5, the target of its code) does not show the mode
/// on a GPU of `compute_capability`, or nullopt. `embedded` is the PTX version that this family holds.
inline std::optional<std::string> why_not_shown(const std::string& mode, int ptx_version,
                                                int compute_capability, int embedded) {
  if (compute_capability == embedded) return std::nullopt;  // equal numbers cannot tell the two apart
  const bool from_ptx = ptx_version == embedded;
  if (is_jit(mode) && !from_ptx) return "the driver took machine code although CUDA_FORCE_PTX_JIT was set";
  if (!is_jit(mode) && from_ptx)
    return "this build holds no machine code for this GPU: the driver compiles it from PTX";
  return std::nullopt;
}

}  // namespace gpugauge::bench::first_launch
