// Shared views of driver, toolkits, capabilities and library copies for the rules.
#include "stack/rules/cuda_support.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace gpugauge::stack {

DriverView driver_of(const Inventory& inventory) {
  DriverView view;
  view.cuda_max = version_of(inventory, "driver.cuda_max");
  // WSL's libcuda is the Windows driver, whose number belongs to another series than the tables'.
  const bool foreign =
      is(inventory, "driver.libcuda_kind", "wsl") || is(inventory, "driver.libcuda_kind", "stub");
  const bool forward = is(inventory, "forward_compat.in_use", "yes");
  const std::string text = forward && inventory.has("driver.libcuda_version")
                               ? inventory.value("driver.libcuda_version")
                               : inventory.value("driver.version");
  if (!foreign) view.version = Version::parse(text);
  view.label = "driver " + (text.empty() ? std::string("of unknown version") : printable(text, 40));
  if (forward) view.label += " (from a forward-compatibility package)";
  if (view.cuda_max) view.label += fmt::format(" (CUDA up to {})", view.cuda_max->text());
  return view;
}

namespace {

PairFit fit_this_driver(const RuleInput& input, const Version& cuda) {
  const DriverView driver = driver_of(input.inventory);
  const Version release = cuda.first(2);
  PairFit pair = fit::pair(driver.label, "CUDA " + release.text());
  if (cuda.size() < 2) return fit::unknown(pair, "Only the major version of CUDA is known.");
  const auto by_version = [&] {
    PairFit fit = fit_driver_cuda(input.tables, *driver.version, cuda);
    fit.first = pair.first;
    return fit;
  };
  if (!driver.cuda_max) return driver.version ? by_version() : fit::unknown(pair, "No driver was found.");
  const Version& most = *driver.cuda_max;
  if (release <= most.first(2))
    return fit::works(pair, fmt::format("The driver says that it supports CUDA up to {}.", most.text()));
  const ToolkitDriver* native = input.tables.native_driver(release);
  if (native != nullptr) pair.sources.push_back(native->source.text);
  const std::string remedy =
      native != nullptr ? fmt::format("Install driver {} or newer.", driver_text(native->native_driver))
                        : fmt::format("Install a driver that supports CUDA {}.", release.text());
  if (release.major() == most.major() && release.major() >= 11) {
    // Minor-version compatibility begins after the first drivers of a major version.
    const MinimumDriver* const minimum = input.tables.minimum_driver(release.major());
    if (driver.version && minimum != nullptr && !driver_at_least(*driver.version, minimum->driver))
      return by_version();
    pair.fit = Fit::limited;
    pair.limit = "driver";
    pair.reason = fmt::format(
        "The driver supports CUDA up to {}. Programs of CUDA {} run on it by minor-version "
        "compatibility, but PTX that has to be compiled at run time is refused with error "
        "222, and functions that came after CUDA {} are missing.",
        most.text(), release.text(), most.text());
    pair.remedy = remedy;
    return pair;
  }
  pair.fit = Fit::fails;
  pair.limit = "driver";
  pair.reason = fmt::format(
      "The driver supports CUDA up to {}; programs of CUDA {} end on it with error 35 "
      "(cudaErrorInsufficientDriver).",
      most.text(), release.text());
  pair.remedy = remedy;
  return pair;
}

}  // namespace

PairFit fit_driver_here(const RuleInput& input, const Version& cuda) {
  PairFit pair = fit_this_driver(input, cuda);
  const std::vector<std::string> steps = vgpu_steps(input.inventory);
  if (!pair.remedy.empty() && !steps.empty()) pair.remedy = steps.front() + ".";
  return pair;
}

std::optional<ToolkitView> selected_toolkit(const Inventory& inventory) {
  const std::string path = inventory.value("toolkit.selected");
  if (path.empty()) return std::nullopt;
  for (const std::string& index : inventory.children("toolkit")) {
    const std::string key = "toolkit." + index;
    if (inventory.value(key + ".path") != path) continue;
    const auto version = version_of(inventory, key + ".version");
    if (!version || version->size() < 2) return std::nullopt;
    return ToolkitView{key, path, *version};
  }
  return std::nullopt;
}

std::vector<CapabilityView> capabilities_of(const Inventory& inventory) {
  std::vector<CapabilityView> capabilities;
  for (const GpuView& gpu : gpus_of(inventory)) {
    const auto version = Version::parse(gpu.value("compute_capability"));
    if (!version || version->size() < 2) continue;
    const auto found = std::find_if(capabilities.begin(), capabilities.end(),
                                    [&](const CapabilityView& one) { return one.version == *version; });
    if (found == capabilities.end())
      capabilities.push_back({*version, {gpu}});
    else
      found->gpus.push_back(gpu);
  }
  return capabilities;
}

std::string capability_text(const CapabilityView& capability, std::size_t all) {
  return fmt::format("{} ({}, compute capability {})", named(capability.gpus, all),
                     capability.gpus.front().shown("name"), capability.version.text());
}

Finding pair_finding(Cause cause, Severity severity, const std::string& title, const PairFit& pair) {
  Finding finding = make_finding(cause, severity, title, pair.reason);
  if (!pair.remedy.empty()) finding.next.push_back(pair.remedy);
  finding.sources = pair.sources;
  return finding;
}

void note_unknown(Findings& findings, const PairFit& pair) {
  if (pair.fit != Fit::unknown) return;
  const std::string line = fmt::format("{} with {}: {}", pair.first, pair.second, pair.reason);
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.cause == Cause("not_in_tables").name();
  });
  if (found != findings.end()) {
    if (std::find(found->evidence.begin(), found->evidence.end(), line) == found->evidence.end())
      found->evidence.push_back(line);
    return;
  }
  Finding finding =
      make_finding(Cause("not_in_tables"), Severity::note, "Versions that the tables do not judge",
                   "Whether these fit each other is unknown here: it is neither confirmed nor "
                   "contradicted.");
  finding.evidence = {line};
  finding.next = {"Read the vendor's support matrix for them (docs/compatibility.md names the pages)"};
  findings.push_back(std::move(finding));
}

bool CopyView::reachable() const {
  return origin == "LD_LIBRARY_PATH" || origin == "loader cache" || origin == "standard folder";
}

bool CopyView::brought_by_framework() const {
  return origin == "wheel" || origin == "conda";
}

std::string CopyView::shown() const {
  return fmt::format("{} {} ({}{})", library_title(name),
                     text.empty() ? "of unknown version" : printable(text, 60), printable(path),
                     origin.empty() ? "" : ", " + printable(origin, 40));
}

std::vector<CopyView> copies_of(const Inventory& inventory, const std::string& name) {
  std::vector<CopyView> copies;
  const std::string prefix = "library." + name;
  for (const std::string& index : inventory.children(prefix)) {
    const std::string key = fmt::format("{}.{}", prefix, index);
    CopyView copy;
    copy.name = name;
    copy.key = key;
    copy.path = inventory.value(key + ".path");
    if (copy.path.empty()) continue;  // key "picked", or a copy that is only named
    copy.folder = copy.path.substr(0, copy.path.find_last_of('/'));
    copy.version = version_of(inventory, key + ".version");
    if (copy.version) copy.text = inventory.value(key + ".version");
    copy.soname = inventory.value(key + ".soname");
    copy.origin = inventory.value(key + ".origin");
    copies.push_back(std::move(copy));
  }
  return copies;
}

std::string library_title(const std::string& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 14> titles{
      {{"cudart", "CUDA runtime"},
       {"cublas", "cuBLAS"},
       {"cublasLt", "cuBLASLt"},
       {"cudnn", "cuDNN"},
       {"nccl", "NCCL"},
       {"nccl_net", "NCCL net plugin"},
       {"cufft", "cuFFT"},
       {"cusparse", "cuSPARSE"},
       {"cusolver", "cuSOLVER"},
       {"curand", "cuRAND"},
       {"nvrtc", "NVRTC"},
       {"nvinfer", "TensorRT"},
       {"cupti", "CUPTI"},
       {"nvjitlink", "nvJitLink"}}};
  for (const auto& [key, title] : titles) {
    if (name == key) return title;
  }
  return name.starts_with("cudnn_") ? "cuDNN's " + name.substr(6) : name;
}

}  // namespace gpugauge::stack
