// What a kernel's name tells: whether it uses Tensor Cores, and the architecture it was compiled for. NVIDIA
// publishes no grammar of these names. The words below are those that profiles of cuBLAS, cuDNN and CUTLASS
// show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::bench {

/// Which units did the arithmetic. unknown: the name does not say, as for kernels that only copy, add or
/// convert.
enum class KernelPath { tensor, simt, unknown };

/// What a name says.
struct KernelName {
  /// Which units did the arithmetic.
  KernelPath path = KernelPath::unknown;
  std::string architecture;  ///< "sm80", "" when the name does not say

  /// Compares member by member.
  bool operator==(const KernelName&) const = default;
};

/// Reads one name, mangled or not, in any case.
KernelName parse_kernel_name(std::string_view name);

/// Combines all kernels of one operation: tensor when one of them is, else simt when one of them is. The
/// architectures are those of the kernels on that path, without repeats, joined with "+".
KernelName parse_kernel_names(const std::vector<std::string>& names);

/// "tensor", "simt", "unknown".
std::string to_string(KernelPath path);

}  // namespace gpugauge::bench
