#include "memory/arrays.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpugauge::bench::memory {

std::size_t array_elements(Trial& trial, std::size_t arrays) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const std::size_t bytes = std::max(gibibyte, 4 * cuda::device().l2_bytes);
  if (const auto reason = cuda::why_too_large(arrays * bytes)) trial.skip(*reason);
  trial.note("array_bytes", fmt::format("{}", bytes));
  return bytes / sizeof(float);
}

}  // namespace gpugauge::bench::memory
