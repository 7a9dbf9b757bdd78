#include "stack/missing_library.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

/// A library of NVIDIA. {0} stands for the major version in its file name, {1} for CUDA's major version, {2}
/// for its release, "13-0".
struct Known {
  std::string_view stem;  ///< "libcudnn" of libcudnn.so.9 and libcudnn_graph.so.9
  std::string_view name;
  std::string_view package;
};
constexpr std::array known_libraries{
    Known{"libcudnn", "cuDNN", "NVIDIA's package libcudnn{0}-cuda-{1}"},
    Known{"libcublas", "cuBLAS", "NVIDIA's package libcublas-{2}"},
    Known{"libcufft", "cuFFT", "NVIDIA's package libcufft-{2}"},
    Known{"libnccl", "NCCL", "NVIDIA's package libnccl{0} for Debian and Ubuntu, libnccl for RPM"},
};

std::string package_of(const Known& library, std::string_view major, const std::string& cuda) {
  const std::string cuda_major = cuda.substr(0, cuda.find('.'));
  std::string release = cuda.substr(0, cuda.find('.', cuda_major.size() + 1));
  std::replace(release.begin(), release.end(), '.', '-');
  return fmt::format(fmt::runtime(library.package), major, cuda_major, release);
}

}  // namespace

std::string missing_library(std::string_view text) {
  constexpr std::string_view before = "error while loading shared libraries: ";
  constexpr std::string_view behind = ": cannot open shared object file";
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return "";
  text.remove_prefix(start + before.size());
  const std::size_t end = text.find(behind);
  const std::string_view name = text.substr(0, end);
  return end == std::string_view::npos || name.find_first_of(": ") != std::string_view::npos
             ? ""
             : std::string(name);
}

std::string how_to_get(const std::string& library, const std::string& cuda) {
  const std::string folder = fmt::format("add the folder that holds {} to LD_LIBRARY_PATH", library);
  const std::size_t dot = library.find(".so.");
  const auto found = std::find_if(known_libraries.begin(), known_libraries.end(),
                                  [&](const Known& one) { return library.starts_with(one.stem); });
  if (found == known_libraries.end() || dot == std::string::npos || cuda.empty())
    return "install it, or " + folder;
  return fmt::format("install {} ({}), or {}", found->name,
                     package_of(*found, std::string_view(library).substr(dot + 4), cuda), folder);
}

}  // namespace gpugauge::stack
