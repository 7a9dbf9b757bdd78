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
  // CUDA_FORCE_PTX_JIT is never set: with it an H200's driver filled its cache and was not seen to use it.
  std::map<std::string, std::optional<std::string>> out{
      {"CUDA_MODULE_LOADING", mode == eager ? "EAGER" : "LAZY"}, {"CUDA_FORCE_PTX_JIT", std::nullopt}};
  if (is_jit(mode)) out["CUDA_CACHE_PATH"] = cache;
  return out;
}

/// Note: whether a start took less than half of the one that filled the cache, both in seconds; `files` lie in
/// it. A driver that compiles anew takes about as long again.
inline std::string cache_used(double filling, double later, std::size_t files) {
  const std::string times = seconds_text(later) + " after " + seconds_text(filling);
  if (files == 0) return "no: it holds no file, " + times;
  return later < filling / 2 ? "yes" : "not seen: " + times;
}

/// Whether a driver that supports CUDA `driver_version` refuses PTX of a toolkit of `toolkit_version` (12040
/// for 12.4; 0 = unknown, gives false). A driver of the same major version runs newer machine code but not
/// newer PTX, whatever its target architecture (CUDA Compatibility, "Minor Version Compatibility").
constexpr bool refuses_ptx(int driver_version, int toolkit_version) {
  return driver_version > 0 && driver_version < toolkit_version;
}

/// Returns why a kernel does not show the mode whose machine code is of `binary_version` and was made from PTX
/// of `ptx_version` (75 for 7.5), or nullopt. The build makes machine code from PTX of the same version only;
/// equal versions of what a driver compiled cannot be told from it.
inline std::optional<std::string> why_not_shown(const std::string& mode, int ptx_version,
                                                int binary_version) {
  if (is_jit(mode) || ptx_version == binary_version) return std::nullopt;
  return "this build holds no machine code for this GPU: the driver compiles it from PTX";
}

}  // namespace gpugauge::bench::first_launch
