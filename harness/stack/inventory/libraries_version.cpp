// Determines the version of a library file.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/elf.hpp"
#include "stack/elf_constant.hpp"
#include "stack/elf_file.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/inventory/toolkits_headers.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t text_limit = std::size_t{4} << 20;
constexpr std::size_t header_limit = std::size_t{256} << 10;

/// major * 1000 + minor * 100 + patch: cuFFT, cuRAND, cuSOLVER, TensorRT before 10.
std::string in_hundreds(int number) {
  return number < 1000 ? "" : fmt::format("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100);
}
/// major * 10000 + minor * 100 + patch, before that a plain number ("26"): CUPTI; TensorRT from 10 on.
std::string in_ten_thousands(int number) {
  if (number <= 0) return "";
  if (number < 10000) return fmt::format("{}", number);
  return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
}
std::string tensorrt_version(int number) {
  return number >= 100000 ? in_ten_thousands(number) : in_hundreds(number);
}

/// A function that returns its library's version.
struct VersionFunction {
  const char* library;
  const char* function;
  std::string (*version)(int number);  ///< nullptr: the function stores major and minor
};
constexpr std::array version_functions{
    VersionFunction{"nccl", "ncclGetVersion", nccl_version_of},
    VersionFunction{"cudnn", "cudnnGetVersion", cudnn_version_of},
    VersionFunction{"cupti", "cuptiGetVersion", in_ten_thousands},
    VersionFunction{"cufft", "cufftGetVersion", in_hundreds},
    VersionFunction{"curand", "curandGetVersion", in_hundreds},
    VersionFunction{"cusolver", "cusolverGetVersion", in_hundreds},
    VersionFunction{"nvrtc", "nvrtcVersion", nullptr},
    VersionFunction{"nvjitlink", "nvJitLinkVersion", nullptr},
    VersionFunction{"nvinfer", "getInferLibVersion", tensorrt_version},
};

VersionFact known(std::string value, std::string how) {
  if (value.empty()) return {};
  return {std::move(value), std::move(how), true};
}

VersionFact by_function(const ElfFile& file, const std::string& library) {
  for (const VersionFunction& entry : version_functions) {
    if (library != entry.library) continue;
    const std::vector<int> numbers = constants_of(file, entry.function);
    const std::string how = fmt::format("number in its {}", entry.function);
    if (entry.version != nullptr && numbers.size() == 1) return known(entry.version(numbers[0]), how);
    if (entry.version == nullptr && numbers.size() == 2 && numbers[0] > 0 && numbers[1] >= 0)
      return known(fmt::format("{}.{}", numbers[0], numbers[1]), how);
  }
  return {};
}

/// cuDNN 9 keeps major, minor and patch as bytes of a variable: cudnn_graph_version, cudnn_ops_infer_version.
VersionFact by_cudnn_variable(const ElfFile& file, const std::string& library) {
  for (const char* const ending : {"_version", "_infer_version"}) {
    const std::string variable = library + ending;
    const auto number = number_of(file, variable);
    if (!number || *number < 0x10000 || *number > 0xffffff) continue;
    return known(fmt::format("{}.{}.{}", *number >> 16, *number >> 8 & 0xff, *number & 0xff),
                 "its " + variable);
  }
  return {};
}

/// Finds "NCCL version 2.27.3+cuda12.9" among NCCL's texts.
VersionFact by_nccl_text(const ElfFile& file) {
  constexpr std::string_view start = "NCCL version ";
  for (const ElfSection& section : file.sections()) {
    if (section.name != ".rodata" && section.name != ".rodata.str1.1") continue;
    const std::string text = file.contents(section).read(0, text_limit);
    for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
      const std::string version = version_word(std::string_view(text).substr(at + start.size(), 40));
      if (Version::parse(version)) return known(version, "its text \"NCCL version\"");
    }
  }
  return {};
}

struct HeaderNames {
  const char* library;
  const char* header;
  std::array<const char*, 4> names;  ///< major, minor, patch, build; nullptr after the last part
};
constexpr std::array headers{
    HeaderNames{"cublas",
                "cublas_api.h",
                {"CUBLAS_VER_MAJOR", "CUBLAS_VER_MINOR", "CUBLAS_VER_PATCH", "CUBLAS_VER_BUILD"}},
    HeaderNames{
        "cufft", "cufft.h", {"CUFFT_VER_MAJOR", "CUFFT_VER_MINOR", "CUFFT_VER_PATCH", "CUFFT_VER_BUILD"}},
    HeaderNames{"cusparse",
                "cusparse.h",
                {"CUSPARSE_VER_MAJOR", "CUSPARSE_VER_MINOR", "CUSPARSE_VER_PATCH", "CUSPARSE_VER_BUILD"}},
    HeaderNames{"cusolver",
                "cusolver_common.h",
                {"CUSOLVER_VER_MAJOR", "CUSOLVER_VER_MINOR", "CUSOLVER_VER_PATCH", "CUSOLVER_VER_BUILD"}},
    HeaderNames{"curand",
                "curand.h",
                {"CURAND_VER_MAJOR", "CURAND_VER_MINOR", "CURAND_VER_PATCH", "CURAND_VER_BUILD"}},
    HeaderNames{"cudnn", "cudnn_version.h", {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL", nullptr}},
    HeaderNames{"nccl", "nccl.h", {"NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH", nullptr}},
    HeaderNames{"nvinfer",
                "NvInferVersion.h",
                {"NV_TENSORRT_MAJOR", "NV_TENSORRT_MINOR", "NV_TENSORRT_PATCH", "NV_TENSORRT_BUILD"}},
};

/// A single #define with the version as one number in CUDA's form (13000).
struct HeaderNumber {
  const char* library;
  const char* header;
  const char* name;
  std::string (*version)(int number);
};
constexpr std::array header_numbers{
    HeaderNumber{"cudart", "cuda_runtime_api.h", "CUDART_VERSION", cuda_version_of},
    HeaderNumber{"cupti", "cupti_version.h", "CUPTI_API_VERSION", in_ten_thousands},
    HeaderNumber{"nvrtc", "cuda.h", "CUDA_VERSION", cuda_version_of},
    HeaderNumber{"nvjitlink", "cuda.h", "CUDA_VERSION", cuda_version_of},
};

/// The header in an include folder one or two levels above the library; "" if there is none.
std::string header_beside(const Tree& tree, const std::string& real, const char* header) {
  std::string folder = parent_of(real);
  for (int level = 0; level < 2; ++level) {
    folder = parent_of(folder);
    std::string path = join(folder, fmt::format("include/{}", header));
    if (!tree.resolve(path).empty()) return path;
    if (folder == "/") break;
  }
  return "";
}

std::string numbers_of(const std::string& text, const HeaderNames& entry) {
  std::string version;
  for (const char* const name : entry.names) {
    const auto number = name == nullptr ? std::nullopt : defined_number(text, name);
    if (!number) break;
    version += fmt::format("{}{}", version.empty() ? "" : ".", *number);
  }
  return version.find('.') == std::string::npos ? "" : version;
}

}  // namespace

VersionFact version_in_file(const Tree& tree, const LibraryFile& library, const std::string& real) {
  const ElfFile file(FileBytes(tree.at(real)));
  if (!file.valid()) return {};
  if (library.name == "nccl") {
    if (VersionFact found = by_nccl_text(file); found.known) return found;
  }
  if (library.name == "cudart") {
    if (const auto number = runtime_version_in(file))
      return known(cuda_version_of(*number), "number in its code");
  }
  if (library.name.starts_with("cudnn_")) return by_cudnn_variable(file, library.name);
  VersionFact found = by_function(file, library.name);
  if (found.known || library.name != "cudnn" || library.numbers.empty()) return found;
  // cuDNN 9's main library only forwards calls: cudnnGetVersion reports the version of the graph library
  // beside it.
  const std::string major = library.numbers.substr(0, library.numbers.find('.'));
  const std::string graph = tree.resolve(join(parent_of(real), "libcudnn_graph.so." + major));
  if (graph.empty()) return {};
  found = by_cudnn_variable(ElfFile(FileBytes(tree.at(graph))), "cudnn_graph");
  if (found.known) found.how = "cudnn_graph_version in libcudnn_graph beside it, which answers for it";
  return found;
}

VersionFact version_in_header(const Tree& tree, const LibraryFile& library, const std::string& real) {
  // Libraries that are released together share one header.
  std::string name = library.name == "cublasLt" ? "cublas" : library.name;
  if (name.starts_with("cudnn_")) name = "cudnn";
  for (const HeaderNames& entry : headers) {
    if (name != entry.library) continue;
    const std::string path = header_beside(tree, real, entry.header);
    if (path.empty()) continue;
    return known(numbers_of(tree.read(path, header_limit).text, entry), path);
  }
  for (const HeaderNumber& entry : header_numbers) {
    if (name != entry.library) continue;
    const std::string path = header_beside(tree, real, entry.header);
    if (path.empty()) continue;
    const auto number = defined_number(tree.read(path, header_limit).text, entry.name);
    if (number) return known(entry.version(*number), path);
  }
  return {};
}

VersionFact version_of_file(const Tree& tree, const LibraryFile& library, const std::string& real) {
  const std::string named = version_word(version_in_file_name(real));
  const auto named_version = Version::parse(named);
  // Two numbers form a name for the loader. A network plugin's numbers come from libtool and are no version.
  if (named_version && named_version->size() >= 3 && library.name != "nccl_net")
    return known(named, "file name");
  VersionFact own = version_in_file(tree, library, real);
  VersionFact header = version_in_header(tree, library, real);
  const auto own_version = Version::parse(own.value);
  const auto header_version = Version::parse(header.value);
  if (own.known && header.known && own_version && header_version) {
    if (!own_version->covers(*header_version))
      return {own.value, fmt::format("{}; but {} says {}", own.how, header.how, header.value), true};
    if (header_version->size() > own_version->size())
      return {header.value, fmt::format("{}, and {} agrees", header.how, own.how), true};
  }
  if (own.known) return own;
  if (header.known) return header;
  const std::string id = build_id(tree.at(real));
  return {"unknown", id.empty() ? "it does not say, and has no build id" : "build id " + id, false};
}

std::string library_version(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  std::string version = version_in_file_name(path);
  if (version.find('.') != std::string::npos) return version;
  if (const auto library = library_of_file(name)) {
    const VersionFact found = version_of_file(Tree("/"), *library, path);
    if (found.known) version = found.value;
  }
  const std::string id = build_id(path).substr(0, 12);
  if (!id.empty()) return fmt::format("{} (build {})", version, id);
  return version.empty() ? "unknown" : version;
}

}  // namespace gpugauge::stack
