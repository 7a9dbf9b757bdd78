// Compares CUDA's libraries and cuDNN that a framework loads at run time with those present.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

/// The version a framework was built with.
struct Built {
  Version version;
  /// The table's source, if the figure is from the table; "" for the framework's own figure.
  std::string source;
};

/// The needed version of one library, and the versions found.
struct Need {
  std::string library;  ///< "cudnn", "cudart"
  Built built;
  std::vector<Version> found;
  std::vector<std::string> evidence;
};

/// True if somebody looked for the library; otherwise it does not count as missing.
bool looked_for(const Inventory& inventory, const std::string& library) {
  return inventory.find("library." + library) != nullptr || !inventory.children("library." + library).empty();
}

void add_wheels(const Inventory& inventory, const std::string& start, Need& need) {
  for (const std::string& wheel : inventory.children("wheel")) {
    const std::string key = "wheel." + wheel + ".version";
    const auto version = version_of(inventory, key);
    if (!wheel.starts_with(start) || !version) continue;
    need.found.push_back(*version);
    need.evidence.push_back(seen(inventory, key, wheel));
  }
}

Need need_of(const Inventory& inventory, const std::string& library, const Built& built) {
  Need need{library, built, {}, {}};
  for (const CopyView& copy : copies_of(inventory, library)) {
    if (copy.version) need.found.push_back(*copy.version);
    need.evidence.push_back(copy.shown());
  }
  add_wheels(inventory,
             library == "cudnn"   ? "nvidia-cudnn"
             : library == "nvrtc" ? "nvidia-cuda-nvrtc"
                                  : "nvidia-cuda-runtime",
             need);
  return need;
}

/// True for the same major version. TensorFlow and JAX check cuDNN's minor version: for these it must not be
/// older, if known.
bool satisfied(const Need& need, const std::string& framework) {
  const bool minor = need.library == "cudnn" && (framework == "tensorflow" || framework == "jax");
  return std::any_of(need.found.begin(), need.found.end(), [&](const Version& version) {
    return version.major() == need.built.version.major() &&
           (!minor || version.size() < 2 || version.first(2) >= need.built.version.first(2));
  });
}

/// True if some copy's version is unknown: it may be the right one.
bool undecided(const Need& need) {
  return need.found.size() < need.evidence.size();
}

/// The framework's own figure. Uses the table's if there is none, or only a major version.
std::optional<Built> built_with(const RuleInput& input, const std::string& name, const std::string& fact) {
  const auto own = version_of(input.inventory, "framework." + name + "." + fact);
  if (own && own->size() > 1) return Built{*own, ""};
  const auto version = version_of(input.inventory, "framework." + name + ".version");
  const FrameworkBuild* row = version ? input.tables.framework(name, *version) : nullptr;
  std::optional<Version> told;
  if (row != nullptr && row->source.read && fact == "cudnn") told = row->cudnn;
  if (row != nullptr && row->source.read && fact == "cuda" && row->cuda.size() == 1) told = row->cuda.front();
  if (told && (!own || own->major() == told->major())) return Built{*told, row->source.text};
  if (own) return Built{*own, ""};
  return std::nullopt;
}

void check_need(const RuleInput& input, const std::string& name, const Need& need, Findings& findings) {
  if (satisfied(need, name) || undecided(need)) return;
  const bool cudnn = need.library == "cudnn";
  const std::string title = framework_title(name);
  const std::string wanted = cudnn ? fmt::format("cuDNN {}", need.built.version.first(2).text())
                                   : fmt::format("CUDA {}", need.built.version.major());
  const std::string lack = need.found.empty() ? "is not there" : "is there in other versions only";
  const bool ort = name == "onnxruntime";
  Finding finding = make_finding(
      ort     ? Cause("ort_cuda_ep_fallback")
      : cudnn ? Cause("missing_or_wrong_major_cudnn")
              : Cause("missing_cuda_libraries"),
      Severity::failure, fmt::format("{} needs {}, which {}", title, wanted, lack),
      ort ? "Its CUDA part cannot be loaded without it. ONNX Runtime then logs a line and works on the "
            "processor."
      : name == "torch"
          ? "It loads this library when it is imported, or at the first operation that needs it, and ends "
            "with an error there."
          : "It looks for this library at run time; without it, it leaves the GPU out and works on the "
            "processor, or ends at the first operation that needs it.");
  add_seen(finding, input.inventory,
           {{"framework." + name + ".version", title},
            {"framework." + name + "." + (cudnn ? "cudnn" : "cuda"), "built with"}});
  finding.evidence.insert(finding.evidence.end(), need.evidence.begin(), need.evidence.end());
  finding.next = {fmt::format("install {} into this environment or for the whole system", wanted)};
  if (name == "tensorflow")
    finding.next.emplace_back("pip install 'tensorflow[and-cuda]' brings what it needs");
  if (ort)
    finding.next.emplace_back(
        "onnxruntime.get_available_providers() and the session's providers show what is used");
  if (!need.built.source.empty()) finding.sources = {need.built.source};
  finding.layers = {"framework", cudnn ? "cudnn" : "cuda"};
  findings.push_back(std::move(finding));
}

/// PyTorch brings its libraries in its own folder or as wheels; only wheels can be incomplete. Its metadata
/// tells which, because wheels beside it may belong to another framework.
bool requires_wheels(const Inventory& inventory) {
  constexpr std::array facts{"framework.torch.cudnn", "framework.torch.nccl"};
  return std::any_of(facts.begin(), facts.end(), [&](const char* fact) {
    const Item* const item = inventory.find(fact);
    return item != nullptr && item->how.starts_with("Requires-Dist of ");
  });
}

}  // namespace

void check_needs(const RuleInput& input, Findings& findings) {
  for (const std::string name : {"torch", "tensorflow", "jax", "onnxruntime", "cupy"}) {
    const std::string key = "framework." + name;
    if (!is(input.inventory, key + ".build", "cuda")) continue;
    if (name == "torch" && !requires_wheels(input.inventory)) continue;
    const auto cuda = built_with(input, name, "cuda");
    // CuPy compiles its kernels at run time and contains the runtime itself.
    const std::string library = name == "cupy" ? "nvrtc" : "cudart";
    if (cuda && looked_for(input.inventory, library))
      check_need(input, name, need_of(input.inventory, library, *cuda), findings);
    const auto cudnn = built_with(input, name, "cudnn");
    if (cudnn && name != "cupy" && looked_for(input.inventory, "cudnn"))
      check_need(input, name, need_of(input.inventory, "cudnn", *cudnn), findings);
  }
}

}  // namespace gpugauge::stack
