// The first cuDNN version that knows each GPU. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace gpugauge::bench::cudnn {

/// The first version of cuDNN 9 that knows GPUs of a compute capability.
struct FirstVersion {
  int compute_capability = 0;  ///< 80 for 8.0
  std::size_t version = 0;     ///< as cudnnGetVersion() writes it: 90700 for 9.7.0
};

/// The versions that a public source names. We found no source for 8.7, 11.0 and 12.1.
/// - 7.5 to 9.0: support matrix of cuDNN 9.0.0, docs.nvidia.com/deeplearning/cudnn
/// - 10.0, 12.0: the matrix of 9.5.1 lists neither, that of 9.10.2 lists both, and the notes of
///   cudnn-frontend 1.10 name 9.7.0 for Blackwell
/// - 10.3: "cudnn 9.11 now has support for gb300 (compute_cap=10.3)", github.com/jax-ml/jax/pull/30242
inline constexpr std::array<FirstVersion, 8> first_versions{{{75, 90000},
                                                             {80, 90000},
                                                             {86, 90000},
                                                             {89, 90000},
                                                             {90, 90000},
                                                             {100, 90700},
                                                             {103, 91100},
                                                             {120, 90700}}};

/// The first version that knows this GPU; nullopt where no source says.
constexpr std::optional<std::size_t> first_version(int compute_capability) {
  for (const FirstVersion& one : first_versions)
    if (one.compute_capability == compute_capability) return one.version;
  return std::nullopt;
}

/// A lower bound: no earlier version knows this GPU. It is first_version(), or else the first version that
/// knows any GPU of compute capability 10.0 and later.
constexpr std::size_t no_earlier_version(int compute_capability) {
  if (const auto first = first_version(compute_capability)) return *first;
  if (compute_capability < 100) return first_versions.front().version;
  std::size_t least = first_versions.back().version;
  for (const FirstVersion& one : first_versions)
    if (one.compute_capability >= 100) least = std::min(least, one.version);
  return least;
}

/// Whether this version surely has plans for all that every healthy cuDNN has plans for on this GPU. It has
/// from first_version() on, except on 12.0: the first source that lists attention there, gradients included,
/// is cudnn-frontend's support matrix of 9.18.1 (docs/operations/Attention.md).
constexpr bool surely_plans(std::size_t version, int compute_capability) {
  constexpr std::size_t of_120 = 91801;
  const auto first = first_version(compute_capability);
  return first && version >= (compute_capability == 120 ? of_120 : *first);
}

}  // namespace gpugauge::bench::cudnn
