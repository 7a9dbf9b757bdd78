// Reads how each framework was built from its installed files.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "stack/elf_file.hpp"
#include "stack/inventory/frameworks.hpp"
#include "stack/inventory/libraries.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/plan/binary_fatbin.hpp"

namespace gpugauge::stack {
namespace {

using namespace std::chrono_literals;

/// Working data for reading one framework's build.
struct Reader {
  const Tree& tree;
  const Distribution& chosen;
  const std::vector<Distribution>& all;
  FrameworkBuildFacts facts{};

  std::string file(std::string_view below_site) const { return join(chosen.site, below_site); }
  bool exists(std::string_view below_site) const { return !tree.resolve(file(below_site)).empty(); }
};

/// "cu128" -> "12.8", "cuda12" -> "12", "cuda111" -> "11.1", "cuda12x" -> "12", "cu92" -> "9.2"; ""
/// otherwise.
std::string cuda_in_tag(std::string_view tag) {
  for (const std::string_view start : {"cuda", "cu"}) {
    if (!tag.starts_with(start)) continue;
    tag.remove_prefix(start.size());
    if (tag.ends_with('x')) tag.remove_suffix(1);
    if (tag.size() < 2 || tag.size() > 3 || tag.find_first_not_of("0123456789") != std::string_view::npos)
      return "";
    // CUDA 9.2 is cu92; from 10.0 on the major version has two digits.
    const std::size_t major = tag.front() >= '5' ? 1 : 2;
    return tag.size() == major ? std::string(tag)
                               : fmt::format("{}.{}", tag.substr(0, major), tag.substr(major));
  }
  return "";
}

/// "2.8.0+cu128" -> "cu128", "0.4.29+cuda12.cudnn91" -> "cuda12.cudnn91"; "" if there is no local part.
std::string local_part(const std::string& version) {
  const auto plus = version.find('+');
  return plus == std::string::npos ? "" : version.substr(plus + 1);
}

/// Reads build and CUDA from the version's local part.
void read_local_part(Reader& reader) {
  const std::string local = local_part(reader.chosen.version);
  const std::string first = local.substr(0, local.find('.'));
  FrameworkBuildFacts& facts = reader.facts;
  const std::string how = "local part of the version";
  const std::string cuda = cuda_in_tag(first);
  if (first == "cpu") facts.build = {"cpu", reader.chosen.folder, how};
  if (first.starts_with("rocm")) facts.build = {"rocm", reader.chosen.folder, how};
  if (cuda.empty()) return;
  facts.build = {"cuda", reader.chosen.folder, how};
  facts.cuda = {cuda, reader.chosen.folder, how};
}

/// Reads cuDNN and NCCL as separate wheels, at the versions pinned in the framework's metadata.
void read_pins(Reader& reader) {
  for (const std::string& requirement : reader.chosen.requires_exactly) {
    const auto equals = requirement.find("==");
    const std::string name = requirement.substr(0, equals);
    const BuildFact fact{requirement.substr(equals + 2), reader.chosen.folder, "Requires-Dist of " + name};
    if (name.starts_with("nvidia-cudnn-")) reader.facts.cudnn = fact;
    if (name.starts_with("nvidia-nccl-")) reader.facts.nccl = fact;
  }
}

/// Reads libraries in the framework's own folder.
void read_bundled(Reader& reader, std::string_view folder) {
  for (const std::string& path : entries(reader.tree, reader.file(folder), "lib")) {
    const auto library = library_of_file(file_name_of(path));
    if (!library) continue;
    BuildFact* const fact = library->name == "cudnn"  ? &reader.facts.cudnn
                            : library->name == "nccl" ? &reader.facts.nccl
                                                      : nullptr;
    if (fact == nullptr || !fact->value.empty()) continue;
    const VersionFact version = version_of_file(reader.tree, *library, reader.tree.resolve(path));
    if (version.known) *fact = {version.value, path, version.how};
  }
}

/// Reads the architectures for which most of a library's code exists.
void read_architectures(Reader& reader, const std::vector<std::string>& files) {
  if (!reader.facts.arch_list.value.empty()) return;
  GpuCodes codes;
  std::string source;
  for (const std::string& name : files) {
    const std::string real = reader.tree.resolve(reader.file(name));
    if (real.empty()) continue;
    const ElfFile elf(FileBytes(reader.tree.at(real)));
    const ElfSection* const section = elf.valid() ? elf.section(".nv_fatbin") : nullptr;
    if (section == nullptr) continue;
    const ReadingLimit limit{.containers = 20000, .until = std::chrono::steady_clock::now() + 300ms};
    read_containers(elf.contents(*section), limit, codes);
    if (source.empty()) source = real;
  }
  std::vector<std::string> names;
  for (const GpuCode& code : codes.usual()) names.push_back(code.text());
  if (names.empty()) return;
  reader.facts.arch_list = {fmt::format("{}", fmt::join(names, " ")), source,
                            fmt::format("GPU code in it: carried by most of {}{} containers",
                                        codes.cut ? "the first " : "", codes.containers)};
}

/// Reads CUDA from the runtime library that a file needs: "libcudart.so.12" -> "12".
void read_needed_runtime(Reader& reader, std::string_view name) {
  constexpr std::string_view prefix = "libcudart.so.";
  const std::string real = reader.tree.resolve(reader.file(name));
  if (real.empty() || !reader.facts.cuda.value.empty()) return;
  const ElfFile elf(FileBytes(reader.tree.at(real)));
  if (!elf.valid()) return;
  for (const std::string& needed : elf.dynamic().needed) {
    if (!needed.starts_with(prefix)) continue;
    const std::string how = "needs " + shown(needed);
    reader.facts.cuda = {version_word(needed.substr(prefix.size())), real, how};
    reader.facts.build = {"cuda", real, how};
  }
}

void read_torch(Reader& reader) {
  const std::string file = reader.file("torch/version.py");
  const Reading text = reader.tree.read(file);
  FrameworkBuildFacts& facts = reader.facts;
  read_local_part(reader);
  if (text.present()) {
    const std::string cuda = assigned_in_python(text.text, "cuda");
    const bool rocm = !assigned_in_python(text.text, "hip").empty();
    const bool other = !assigned_in_python(text.text, "xpu").empty();
    const std::string how = "version.py";
    facts.version = {version_word(assigned_in_python(text.text, "__version__")), file, how};
    facts.build = {!cuda.empty() ? "cuda" : rocm ? "rocm" : other ? "unknown" : "cpu", file, how};
    facts.cuda = {version_word(cuda), file, how};
  } else if (facts.build.value.empty() && reader.exists("torch/lib/libtorch_cuda.so")) {
    facts.build = {"cuda", reader.file("torch/lib/libtorch_cuda.so"), "it has CUDA's part"};
  }
  if (facts.build.value != "cuda") return;
  read_pins(reader);
  read_bundled(reader, "torch/lib");
  read_architectures(reader, {"torch/lib/libtorch_cuda.so", "torch/lib/libtorch_cuda_cu.so"});
}

/// Where TensorFlow is configured, "compute_90" asks for both machine code of 9.0 and PTX.
std::vector<std::string> both_codes(const std::vector<std::string>& configured) {
  std::vector<std::string> codes;
  const auto add = [&](std::string code) {
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(std::move(code));
  };
  for (const std::string& word : configured) {
    if (const auto number = after(word, "compute_")) add(fmt::format("sm_{}", *number));
    add(word);
  }
  return codes;
}

void read_tensorflow(Reader& reader) {
  const std::string file = reader.file("tensorflow/python/platform/build_info.py");
  const Reading text = reader.tree.read(file);
  FrameworkBuildFacts& facts = reader.facts;
  if (text.present()) {
    const bool cuda = paired_in_python(text.text, "is_cuda_build") == "True";
    const bool rocm = paired_in_python(text.text, "is_rocm_build") == "True";
    const std::string how = "build_info.py";
    facts.build = {cuda ? "cuda" : rocm ? "rocm" : "cpu", file, how};
    if (!cuda) return;
    facts.cuda = {version_word(paired_in_python(text.text, "cuda_version")), file, how};
    facts.cudnn = {version_word(paired_in_python(text.text, "cudnn_version")), file, how};
    const auto architectures = both_codes(list_in_python(text.text, "cuda_compute_capabilities"));
    if (!architectures.empty())
      facts.arch_list = {shown(fmt::format("{}", fmt::join(architectures, " "))), file, how};
  } else if (reader.chosen.name.find("-cpu") != std::string::npos) {
    facts.build = {"cpu", reader.chosen.folder, "the distribution's name"};
  }
}

void read_jax(Reader& reader) {
  FrameworkBuildFacts& facts = reader.facts;
  const Distribution* library = nullptr;
  for (const Distribution& other : reader.all) {
    if (other.name == "jaxlib") library = &other;
    if (!other.name.starts_with("jax-") || !other.name.ends_with("-plugin")) continue;
    const std::string tag = other.name.substr(4, other.name.size() - 4 - 7);
    const std::string how = fmt::format("{} {}", other.name, other.version);
    if (tag.starts_with("rocm")) facts.build = {"rocm", other.folder, how};
    if (const std::string cuda = cuda_in_tag(tag); !cuda.empty()) {
      facts.build = {"cuda", other.folder, how};
      facts.cuda = {cuda, other.folder, how};
      read_architectures(reader, {fmt::format("jax_plugins/xla_{}/xla_cuda_plugin.so", tag)});
    }
  }
  if (library == nullptr || !facts.build.value.empty()) {
    if (library == nullptr) facts.build = {"unknown", reader.chosen.site, "jaxlib is not installed"};
    return;
  }
  // Versions before the plugins: jaxlib 0.4.29+cuda12.cudnn91.
  const std::string local = local_part(library->version);
  const std::string cuda = cuda_in_tag(local.substr(0, local.find('.')));
  const std::string how = "jaxlib " + library->version;
  facts.build = {cuda.empty() ? "cpu" : "cuda", library->folder, how};
  facts.cuda = {cuda, library->folder, how};
  const auto cudnn = local.find("cudnn");
  constexpr std::size_t word = 5;
  if (cudnn != std::string::npos && local.size() == cudnn + word + 2)
    facts.cudnn = {fmt::format("{}.{}", local[cudnn + word], local[cudnn + word + 1]), library->folder, how};
}

void read_onnxruntime(Reader& reader) {
  const std::string file = reader.file("onnxruntime/capi/build_and_package_info.py");
  const Reading text = reader.tree.read(file);
  FrameworkBuildFacts& facts = reader.facts;
  const std::string how = "build_and_package_info.py";
  const std::string provider = "onnxruntime/capi/libonnxruntime_providers_cuda.so";
  if (text.present()) {
    facts.version = {version_word(assigned_in_python(text.text, "__version__")), file, how};
    facts.package = {normalised(assigned_in_python(text.text, "package_name")), file, how};
    facts.cuda = {version_word(assigned_in_python(text.text, "cuda_version")), file, how};
    facts.cudnn = {version_word(assigned_in_python(text.text, "cudnn_version")), file, how};
  }
  if (reader.exists(provider)) {
    facts.build = {"cuda", reader.file(provider), "it has the CUDA provider"};
    read_needed_runtime(reader, provider);
    read_architectures(reader, {provider});
  } else if (reader.exists("onnxruntime/capi/libonnxruntime_providers_rocm.so")) {
    facts.build = {"rocm", reader.file("onnxruntime/capi"), "it has the ROCm provider"};
  } else if (reader.exists("onnxruntime/capi")) {
    facts.build = {"cpu", reader.file("onnxruntime/capi"), "it has no provider for a GPU"};
    facts.cuda.value.clear();
  }
}

void read_cupy(Reader& reader) {
  FrameworkBuildFacts& facts = reader.facts;
  constexpr std::string_view start = "cupy-";
  const std::string tag =
      reader.chosen.name.starts_with(start) ? reader.chosen.name.substr(start.size()) : "";
  const std::string cuda = cuda_in_tag(tag);
  const std::string how = "the distribution's name";
  facts.build = {tag.starts_with("rocm") ? "rocm" : "cuda", reader.chosen.folder, how};
  if (tag.empty()) facts.build = {"unknown", reader.chosen.folder, "built from source"};
  facts.cuda = {cuda, reader.chosen.folder, how};
  const std::string file = reader.file("cupy/.data/_wheel.json");
  const auto json = nlohmann::json::parse(reader.tree.read(file).text, nullptr, false);
  const auto version_in = [&](const char* library) -> std::string {
    if (!json.is_object() || !json.contains(library) || !json[library].is_object()) return "";
    const auto version = json[library].find("version");
    return version != json[library].end() && version->is_string() ? version_word(version->get<std::string>())
                                                                  : "";
  };
  facts.cudnn = {version_in("cudnn"), file, "_wheel.json"};
  facts.nccl = {version_in("nccl"), file, "_wheel.json"};
}

void read_vllm(Reader& reader) {
  read_local_part(reader);
  const std::string module = "vllm/_C.abi3.so";
  if (reader.facts.build.value.empty()) read_needed_runtime(reader, module);
  if (reader.facts.build.value == "cuda") read_architectures(reader, {module});
}

}  // namespace

FrameworkBuildFacts read_build(const Tree& tree, const std::string& framework, const Distribution& chosen,
                               const std::vector<Distribution>& all) {
  Reader reader{tree, chosen, all};
  if (framework == "torch") read_torch(reader);
  if (framework == "tensorflow") read_tensorflow(reader);
  if (framework == "jax") read_jax(reader);
  if (framework == "onnxruntime") read_onnxruntime(reader);
  if (framework == "cupy") read_cupy(reader);
  if (framework == "vllm") read_vllm(reader);
  if (reader.facts.build.value.empty()) reader.facts.build = {"unknown", chosen.site, "no file of it tells"};
  return reader.facts;
}

}  // namespace gpugauge::stack
