#include <algorithm>
#include <array>

#include "stack/inventory/libraries.hpp"

namespace gpugauge::stack {
namespace {

struct Known {
  const char* name;
  const char* stem;
};

constexpr std::array known_libraries{
    Known{"cudart", "libcudart"},
    Known{"cublas", "libcublas"},
    Known{"cublasLt", "libcublasLt"},
    Known{"cudnn", "libcudnn"},
    Known{"cudnn_graph", "libcudnn_graph"},
    Known{"cudnn_ops", "libcudnn_ops"},
    Known{"cudnn_cnn", "libcudnn_cnn"},
    Known{"cudnn_adv", "libcudnn_adv"},
    Known{"cudnn_heuristic", "libcudnn_heuristic"},
    Known{"cudnn_engines_precompiled", "libcudnn_engines_precompiled"},
    Known{"cudnn_engines_runtime_compiled", "libcudnn_engines_runtime_compiled"},
    Known{"nccl", "libnccl"},
    Known{"nccl_net", "libnccl-net"},
    Known{"cufft", "libcufft"},
    Known{"cusparse", "libcusparse"},
    Known{"cusolver", "libcusolver"},
    Known{"curand", "libcurand"},
    Known{"nvrtc", "libnvrtc"},
    Known{"nvinfer", "libnvinfer"},
    Known{"cupti", "libcupti"},
    Known{"nvjitlink", "libnvJitLink"},
};

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

const std::vector<std::string>& library_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    list.reserve(known_libraries.size());
    for (const Known& library : known_libraries) list.emplace_back(library.name);
    return list;
  }();
  return names;
}

std::optional<LibraryFile> library_of_file(const std::string& file_name) {
  constexpr std::string_view extension = ".so";
  const auto dot = file_name.find('.');
  if (dot == std::string::npos || file_name.compare(dot, extension.size(), extension) != 0)
    return std::nullopt;
  const std::string stem = file_name.substr(0, dot);
  std::string numbers = file_name.substr(dot + extension.size());
  if (!numbers.empty()) {
    if (numbers.front() != '.' || numbers.size() == 1 ||
        numbers.find_first_not_of("0123456789.") != std::string::npos)
      return std::nullopt;
    numbers.erase(0, 1);
  }
  for (const Known& library : known_libraries) {
    if (stem == library.stem) return LibraryFile{library.name, stem, numbers};
  }
  constexpr std::string_view plugin = "libnccl-net-";  // NCCL_NET_PLUGIN names them so
  if (stem.starts_with(plugin) && is_word(stem)) return LibraryFile{"nccl_net", stem, numbers};
  constexpr std::string_view part = "libcudnn_";  // of cuDNN 8, or of a later one
  if (stem.starts_with(part) && is_word(stem.substr(part.size())))
    return LibraryFile{stem.substr(3), stem, numbers};
  return std::nullopt;
}

}  // namespace gpugauge::stack
