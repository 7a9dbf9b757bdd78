// Classifies a cuDNN failure by its message, because the frontend passes the status on only as text. Pure.
#pragma once

#include <array>
#include <cctype>
#include <string_view>

namespace gpugauge::bench::cudnn {

/// The last status named in `words`, which is the returned one ("CUDNN_STATUS_NOT_SUPPORTED_SHAPE"); "" where
/// there is none.
inline std::string_view status_in(std::string_view words) {
  const std::size_t start = words.rfind("CUDNN_STATUS_");
  if (start == std::string_view::npos) return {};
  std::size_t end = start;
  while (end < words.size() &&
         (words[end] == '_' || std::isalnum(static_cast<unsigned char>(words[end])) != 0))
    ++end;
  return words.substr(start, end - start);
}

/// Whether cuDNN says that it does not support this, rather than that something is broken. A library that is
/// missing or does not fit the driver is broken, although cuDNN's status names start with NOT_SUPPORTED.
inline bool is_refusal(std::string_view words) {
  constexpr std::array<std::string_view, 4> broken{"CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING",
                                                   "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
                                                   "CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER",
                                                   "CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART"};
  const std::string_view status = status_in(words);
  for (const std::string_view one : broken)
    if (status == one) return false;
  return status.rfind("CUDNN_STATUS_NOT_SUPPORTED", 0) == 0 ||
         status.rfind("CUDNN_STATUS_BAD_PARAM", 0) == 0 || status == "CUDNN_STATUS_INVALID_VALUE";
}

}  // namespace gpugauge::bench::cudnn
