// Compares frameworks' official wheels with the layers below them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/plan/plan_fit.hpp"

namespace gpugauge::stack {
namespace {

std::string label(const std::string& name, const Version& version) {
  return framework_title(name) + " " + version.text();
}

std::string unknown_release(const Tables& tables, const std::string& name, const Version& version) {
  std::optional<Version> newest;
  for (const FrameworkBuild& row : tables.frameworks) {
    if (row.framework == name && (!newest || row.version > *newest)) newest = row.version;
  }
  if (!newest) return fmt::format("The tables know nothing of {}.", framework_title(name));
  if (version > *newest) return fmt::format("The tables of this build end with {}.", label(name, *newest));
  return fmt::format("The tables have no row for {}.", label(name, version));
}

std::string list_text(const std::vector<Version>& versions) {
  std::string text;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    text += i == 0 ? "" : i + 1 == versions.size() ? " or " : ", ";
    text += versions[i].text();
  }
  return text;
}

/// True if code built for `built` runs on `capability` without compilation: same major number, not newer.
bool runs_on(const Version& built, const Version& capability) {
  return built.major() == capability.major() && built <= capability;
}

}  // namespace

bool carries_cuda(const std::string& framework) {
  return framework == "torch" || framework == "jax" || framework == "vllm";
}

std::string framework_title(const std::string& name) {
  static constexpr std::array<std::pair<const char*, const char*>, 8> titles{{{"torch", "PyTorch"},
                                                                              {"tensorflow", "TensorFlow"},
                                                                              {"jax", "JAX"},
                                                                              {"onnxruntime", "ONNX Runtime"},
                                                                              {"tensorrt", "TensorRT"},
                                                                              {"cupy", "CuPy"},
                                                                              {"vllm", "vLLM"},
                                                                              {"nccl", "NCCL"}}};
  for (const auto& [key, title] : titles) {
    if (name == key) return title;
  }
  return name;
}

std::optional<bool> within_ranges(const std::string& ranges, const Version& version) {
  bool within = false;
  bool any = false;
  std::size_t start = 0;
  while (start < ranges.size()) {
    const std::size_t end = std::min(ranges.find(',', start), ranges.size());
    std::string range = ranges.substr(start, end - start);
    start = end + 1;
    range.erase(0, range.find_first_not_of(' '));
    const auto least = Version::parse(range);
    if (!least) return std::nullopt;
    any = true;
    const std::size_t dash = range.find('-');
    const Version probe = version.first(2);
    if (dash != std::string::npos) {
      const auto most = Version::parse(range.substr(dash + 1));
      if (!most) return std::nullopt;
      within = within || (probe >= *least && probe <= *most);
    } else if (range.find('+') != std::string::npos) {
      within = within || probe >= *least;
    } else {
      within = within || least->covers(probe);
    }
  }
  if (!any) return std::nullopt;
  return within;
}

PairFit fit_framework_cuda(const Tables& tables, const std::string& name, const Version& version,
                           const Version& cuda) {
  const Version release = cuda.first(2);
  PairFit pair = fit::pair(label(name, version), "CUDA " + release.text());
  const FrameworkBuild* row = tables.framework(name, version);
  if (row == nullptr) return fit::unknown(pair, unknown_release(tables, name, version));
  if (row->cuda.empty())
    return fit::unknown(pair, fmt::format("No source read says which CUDA {} was built with.", pair.first));
  const auto covers = [&](const Version& built) { return built.covers(release) || release.covers(built); };
  const std::string built = list_text(row->cuda);
  if (std::any_of(row->cuda.begin(), row->cuda.end(), covers)) {
    pair.sources.push_back(row->source.text);
    return fit::works(pair, fmt::format("Its official wheels are built with CUDA {}.", built));
  }
  const bool same_major = std::any_of(row->cuda.begin(), row->cuda.end(),
                                      [&](const Version& one) { return one.major() == release.major(); });
  if (carries_cuda(name)) {
    return fit::judged(pair, Fit::limited, name,
                       fmt::format("Its official wheels carry CUDA {}. Such a wheel runs beside a CUDA {} "
                                   "toolkit without using it; extensions compiled with that toolkit do not "
                                   "match the wheel{}.",
                                   built, release.text(), same_major ? " exactly" : ""),
                       fmt::format("Take CUDA {}, or another release of {}.", built, framework_title(name)),
                       row->source);
  }
  if (same_major) {
    pair.sources.push_back(row->source.text);
    return fit::works(pair,
                      fmt::format("Its official wheels are built with CUDA {} and load libraries of that "
                                  "major version.",
                                  built));
  }
  return fit::judged(
      pair, Fit::fails, name,
      fmt::format("Its official wheels are built with CUDA {} and load libraries of that major "
                  "version, which CUDA {} does not have.",
                  built, release.text()),
      fmt::format("Take CUDA {}, or another release of {}.", built, framework_title(name)), row->source);
}

PairFit fit_framework_driver(const Tables& tables, const std::string& name, const Version& version,
                             const Version& driver, const std::optional<Version>& wheel) {
  PairFit pair = fit::pair(label(name, version), "driver " + driver_text(driver));
  const FrameworkBuild* row = tables.framework(name, version);
  if (row == nullptr) return fit::unknown(pair, unknown_release(tables, name, version));
  if (row->cuda.empty())
    return fit::unknown(pair, fmt::format("No source read says which CUDA {} was built with.", pair.first));
  const bool named = wheel && std::find(row->cuda.begin(), row->cuda.end(), *wheel) != row->cuda.end();
  std::optional<PairFit> best;
  Version chosen;
  for (const Version& cuda : row->cuda) {
    if (named && cuda != *wheel) continue;
    PairFit one = fit_driver_cuda(tables, driver, cuda);
    if (!best || one.fit < best->fit || (one.fit == best->fit && cuda > chosen)) {
      best = std::move(one);
      chosen = cuda;
    }
  }
  best->first = pair.first;
  best->second = pair.second;
  best->reason = fmt::format("{} CUDA {}: {}",
                             row->cuda.size() == 1 ? "Its wheel is for" : "Its best wheel here is that for",
                             chosen.text(), best->reason);
  best->sources.push_back(row->source.text);
  if (!row->source.read && best->fit != Fit::works) best->fit = Fit::unknown;
  return *best;
}

PairFit fit_framework_cudnn(const Tables& tables, const std::string& name, const Version& version,
                            const std::optional<Version>& cuda, const Version& cudnn) {
  PairFit pair = fit::pair(label(name, version), "cuDNN " + cudnn.text());
  const FrameworkBuild* row = tables.framework(name, version);
  if (row == nullptr) return fit::unknown(pair, unknown_release(tables, name, version));
  const FrameworkWheel* wheel = cuda ? row->wheel(*cuda) : nullptr;
  const auto& known = wheel != nullptr && wheel->cudnn ? wheel->cudnn : row->cudnn;
  if (!known)
    return fit::unknown(pair, fmt::format("No source read says which cuDNN {} was built with.", pair.first));
  const Version& built = *known;
  if (row->cudnn_is == CudnnFigure::least && carries_cuda(name)) {
    const std::string taken = fmt::format("cuDNN {} or a newer {}", built.text(), built.major());
    if (cudnn.major() == built.major() && (cudnn >= built || cudnn.covers(built))) {
      pair.sources.push_back(row->source.text);
      return fit::works(pair, fmt::format("Its wheels take {}.", taken));
    }
    return fit::judged(
        pair, Fit::limited, name,
        fmt::format("Its wheels ask for {}, and bring one beside another of the system.", taken),
        fmt::format("Leave cuDNN to the wheel ({} or a newer {}).", built.text(), built.major()),
        row->source);
  }
  if (carries_cuda(name)) {
    pair.sources.push_back(row->source.text);
    if (built.covers(cudnn) || cudnn.covers(built))
      return fit::works(pair, fmt::format("Its wheels bring cuDNN {}.", built.text()));
    return fit::judged(
        pair, Fit::limited, name,
        fmt::format("Its wheels bring cuDNN {} and load that one, not another of the system.", built.text()),
        fmt::format("Leave cuDNN to the wheel ({}).", built.text()), row->source);
  }
  const bool older = cudnn.first(2) < built.first(2);
  if (row->cudnn_is == CudnnFigure::optional && (cudnn.major() != built.major() || older))
    return fit::unknown(pair,
                        fmt::format("It was built with cuDNN {}, which is optional; no source read tells "
                                    "what it does beside another one.",
                                    built.text()));
  if (cudnn.major() != built.major()) {
    return fit::judged(pair, Fit::fails, "cudnn",
                       fmt::format("It was built with cuDNN {} and loads that major version.", built.text()),
                       fmt::format("Install cuDNN {}.", built.first(2).text()), row->source);
  }
  if (older) {
    return fit::judged(
        pair, name == "tensorflow" ? Fit::fails : Fit::limited, "cudnn",
        fmt::format("It was built with cuDNN {}; an older minor version may lack what it calls.",
                    built.text()),
        fmt::format("Install cuDNN {} or a newer {}.", built.first(2).text(), built.major()), row->source);
  }
  pair.sources.push_back(row->source.text);
  return fit::works(pair, fmt::format("It was built with cuDNN {}; the same major version, not older, fits.",
                                      built.text()));
}

PairFit fit_framework_gpu(const Tables& tables, const std::string& name, const Version& version,
                          const std::optional<Version>& cuda, const Version& capability) {
  PairFit pair = fit::pair(label(name, version), "compute capability " + capability.text());
  const FrameworkBuild* row = tables.framework(name, version);
  if (row == nullptr) return fit::unknown(pair, unknown_release(tables, name, version));
  const FrameworkWheel* wheel = cuda ? row->wheel(*cuda) : nullptr;
  const bool own = wheel != nullptr && !wheel->compute_capabilities.empty();
  const auto& built = own ? wheel->compute_capabilities : row->compute_capabilities;
  const std::string whose = own ? fmt::format("Its wheel for CUDA {} holds", cuda->first(2).text())
                                : std::string("Its wheels hold");
  if (built.empty())
    return fit::unknown(
        pair, fmt::format("No source read says for which GPUs the wheels of {} hold code.", pair.first));
  pair.sources.push_back(row->source.text);
  const auto runs = [&](const Version& one) { return runs_on(one, capability); };
  if (std::any_of(built.begin(), built.end(), runs))
    return fit::works(pair, fmt::format("{} code for {}.", whose, list_text(built)));
  if (capability < *std::min_element(built.begin(), built.end())) {
    pair.sources.clear();
    return fit::judged(
        pair, Fit::fails, name,
        fmt::format("{} code for {}, all newer than this GPU.", whose, list_text(built)),
        fmt::format("Take an older release of {}, or build it for this GPU.", framework_title(name)),
        row->source);
  }
  return fit::unknown(pair, fmt::format("{} code for {}; on this GPU it runs only if it also carries PTX.",
                                        whose, list_text(built)));
}

PairFit fit_framework_python(const Tables& tables, const std::string& name, const Version& version,
                             const Version& python) {
  PairFit pair = fit::pair(label(name, version), "Python " + python.first(2).text());
  const FrameworkBuild* row = tables.framework(name, version);
  if (row == nullptr) return fit::unknown(pair, unknown_release(tables, name, version));
  const auto within = within_ranges(row->python, python);
  if (!within)
    return fit::unknown(pair, fmt::format("No source read says for which Python {} has wheels.", pair.first));
  if (!*within) {
    return fit::judged(pair, Fit::fails, "python",
                       fmt::format("It has official wheels for Python {}.", row->python),
                       fmt::format("Use Python {}.", row->python), row->source);
  }
  pair.sources.push_back(row->source.text);
  return fit::works(pair, fmt::format("It has official wheels for Python {}.", row->python));
}

}  // namespace gpugauge::stack
