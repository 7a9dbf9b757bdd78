// Checks cuDNN and NCCL against CUDA, the GPUs and the driver.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/rules/cuda_parts.hpp"
#include "stack/rules/cuda_support.hpp"

namespace gpugauge::stack {
namespace {

/// The CUDA version of the loader's picks: the runtime's, else the selected toolkit's.
std::optional<Version> runtime_cuda(const Inventory& inventory) {
  const auto copies = copies_of(inventory, "cudart");
  if (!copies.empty() && copies.front().reachable() && copies.front().version &&
      copies.front().version->size() >= 2)
    return copies.front().version->first(2);
  if (const auto toolkit = selected_toolkit(inventory)) return toolkit->version.first(2);
  return std::nullopt;
}

/// The CUDA version that a copy was built for, for cuDNN often only a major version; nullopt if unknown.
std::optional<Version> built_for(const Inventory& inventory, const CopyView& copy) {
  if (auto told = version_of(inventory, copy.key + ".cuda")) return told;
  const auto at = copy.text.find("+cuda");  // "2.27.3-1+cuda12.9"
  if (at == std::string::npos) return std::nullopt;
  return Version::parse(std::string_view(copy.text).substr(at + 5));
}

/// The oldest CUDA that it may mean: "13" is 13.0.
Version at_least(const Version& built) {
  return built.size() < 2 ? Version({built.major(), 0}) : built;
}

/// A cuDNN that something here loads: the loader's pick, and those of wheels.
struct Cudnn {
  std::string evidence;
  Version version;
  std::optional<Version> cuda;  ///< built for, else used with; for a wheel the major version
  bool wheel = false;
  std::string built;  ///< evidence for the CUDA it is built for; "" if unknown, and for wheels
};

std::vector<Cudnn> cudnns_of(const Inventory& inventory) {
  std::vector<Cudnn> cudnns;
  const auto copies = copies_of(inventory, "cudnn");
  if (!copies.empty() && copies.front().version && !copies.front().brought_by_framework()) {
    const CopyView& copy = copies.front();
    Cudnn cudnn{copy.shown(), *copy.version, runtime_cuda(inventory), false, ""};
    if (const auto built = built_for(inventory, copy)) {
      cudnn.cuda = at_least(*built);
      cudnn.built = seen(inventory, copy.key + ".cuda", "it is built for CUDA");
    }
    cudnns.push_back(std::move(cudnn));
  }
  for (const int major : {11, 12, 13}) {
    const std::string key = fmt::format("wheel.nvidia-cudnn-cu{}.version", major);
    if (const auto version = version_of(inventory, key))
      cudnns.push_back({seen(inventory, key, "nvidia-cudnn wheel"), *version, Version({major, 0}), true, ""});
  }
  return cudnns;
}

void check_cudnn_gpu(const RuleInput& input, const Cudnn& cudnn, Findings& findings) {
  const std::size_t all = gpus_of(input.inventory).size();
  for (const CapabilityView& capability : capabilities_of(input.inventory)) {
    // Which minor version a program loads is its own affair, so only the major one restricts.
    const auto major = cudnn.cuda ? std::optional(Version({cudnn.cuda->major()})) : std::nullopt;
    const PairFit pair = fit_cudnn_gpu(input.tables, cudnn.version, major, capability.version);
    note_unknown(findings, pair);
    if (pair.fit != Fit::fails) continue;
    Finding finding = pair_finding(
        Cause("cudnn_not_for_gpu"), Severity::failure,
        fmt::format("cuDNN {} does not support {}", cudnn.version.text(), named(capability.gpus, all)), pair);
    finding.evidence = {cudnn.evidence, capability_text(capability, all)};
    finding.layers = {"cudnn", "gpu"};
    findings.push_back(std::move(finding));
  }
}

/// Reports a cuDNN package for another CUDA major version than programs here load.
void check_cudnn_built(const RuleInput& input, const Cudnn& cudnn, Findings& findings) {
  const auto runtime = runtime_cuda(input.inventory);
  if (!runtime || runtime->major() == cudnn.cuda->major()) return;
  Finding finding =
      make_finding(Cause("cudnn_not_for_cuda"), Severity::warning,
                   fmt::format("cuDNN {} is built for CUDA {}, and the loader picks CUDA {}",
                               cudnn.version.text(), cudnn.cuda->major(), runtime->major()),
                   "cuDNN loads cuBLAS and NVRTC of the CUDA that it was built for: a program of another "
                   "major version has none of them for it.");
  finding.evidence = {cudnn.evidence, cudnn.built,
                      fmt::format("CUDA that the loader picks: {}", runtime->text())};
  finding.considered = {"programs that load another CUDA than the loader's pick: for them it may fit"};
  finding.next = {fmt::format("Install the cuDNN that is built for CUDA {}", runtime->major())};
  finding.layers = {"cudnn", "cuda"};
  findings.push_back(std::move(finding));
}

void check_cudnn_cuda(const RuleInput& input, const Cudnn& cudnn, Findings& findings) {
  const PairFit pair = fit_cudnn_cuda(input.tables, cudnn.version, *cudnn.cuda);
  note_unknown(findings, pair);
  if (pair.fit != Fit::fails) return;
  Finding finding =
      pair_finding(Cause("cudnn_not_for_cuda"), Severity::warning,
                   fmt::format("cuDNN {} knows no CUDA {}", cudnn.version.text(), cudnn.cuda->major()), pair);
  finding.evidence = {cudnn.evidence, fmt::format("CUDA that the loader picks: {}", cudnn.cuda->text())};
  finding.considered = {"programs that load another CUDA than the loader's pick: for them it may fit"};
  finding.layers = {"cudnn", "cuda"};
  findings.push_back(std::move(finding));
}

void check_cudnn_driver(const RuleInput& input, const Cudnn& cudnn, Findings& findings) {
  const DriverView driver = driver_of(input.inventory);
  if (!driver.version) return;
  PairFit pair = fit_cudnn_driver(input.tables, cudnn.version, *cudnn.cuda, *driver.version);
  // The CUDA it is built for sets a lower bound by itself.
  if (pair.fit == Fit::unknown && !cudnn.built.empty()) pair = fit_driver_here(input, *cudnn.cuda);
  if (pair.fit != Fit::fails) return;
  Finding finding = pair_finding(Cause("library_newer_than_driver"), Severity::failure,
                                 fmt::format("cuDNN {} needs a newer driver", cudnn.version.text()), pair);
  finding.evidence = {cudnn.evidence, driver.label};
  if (!cudnn.built.empty()) finding.evidence.push_back(cudnn.built);
  finding.layers = {"cudnn", "driver"};
  findings.push_back(std::move(finding));
}

void check_cudnn(const RuleInput& input, Findings& findings) {
  for (const Cudnn& cudnn : cudnns_of(input.inventory)) {
    check_cudnn_gpu(input, cudnn, findings);
    if (!cudnn.cuda) continue;
    if (!cudnn.built.empty())
      check_cudnn_built(input, cudnn, findings);
    else if (!cudnn.wheel)
      check_cudnn_cuda(input, cudnn, findings);
    check_cudnn_driver(input, cudnn, findings);
  }
}

void check_nccl_driver(const RuleInput& input, const CopyView& nccl, const Version& built,
                       Findings& findings) {
  const PairFit pair = fit_driver_here(input, at_least(built));
  if (pair.fit != Fit::fails) return;
  Finding finding = pair_finding(Cause("library_newer_than_driver"), Severity::failure,
                                 fmt::format("NCCL {} is built for CUDA {}, which the driver does not run",
                                             nccl.version->text(), built.text()),
                                 pair);
  finding.evidence = {nccl.shown(), pair.first};
  if (const std::string told = seen(input.inventory, nccl.key + ".cuda", "it is built for CUDA");
      !told.empty())
    finding.evidence.push_back(told);
  finding.next.push_back(
      "or install the NCCL package for a CUDA that the driver supports, on all nodes alike");
  finding.layers = {"nccl", "driver"};
  findings.push_back(std::move(finding));
}

void check_nccl(const RuleInput& input, Findings& findings) {
  const auto copies = copies_of(input.inventory, "nccl");
  // A wheel's CUDA only concerns its framework.
  if (copies.empty() || !copies.front().version || copies.front().brought_by_framework()) return;
  const CopyView& nccl = copies.front();
  const auto cuda = runtime_cuda(input.inventory);
  const auto built = built_for(input.inventory, nccl);
  if (built) check_nccl_driver(input, nccl, *built, findings);
  if (!built && !cuda) return;
  const PairFit pair = fit_nccl_cuda(input.tables, *nccl.version, built ? built->major() : cuda->major());
  note_unknown(findings, pair);
  if (pair.fit != Fit::fails) return;
  Finding finding = pair_finding(Cause("nccl_not_for_cuda"), Severity::warning,
                                 fmt::format("{} is not listed with {}", pair.first, pair.second), pair);
  finding.evidence = {nccl.shown()};
  if (!built) finding.evidence.push_back(fmt::format("CUDA that the loader picks: {}", cuda->text()));
  finding.layers = {"nccl", "cuda"};
  findings.push_back(std::move(finding));
}

/// Adds known reports about a version, made on other machines or GPUs. They matter if something is slow, but
/// are no fault of this machine.
void check_known_issues(const RuleInput& input, Findings& findings) {
  if (gpus_of(input.inventory).empty()) return;
  std::vector<std::string> subjects;
  Finding finding =
      make_finding(Cause("library_known_issue"), Severity::note, "",
                   "Others saw this with the same version. Whether it concerns this machine only "
                   "a measurement tells.");
  const auto add_new = [](std::vector<std::string>& to, std::string line) {
    if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(std::move(line));
  };
  for (const std::string name : {"nccl", "cudnn", "cublas"}) {
    const auto copies = copies_of(input.inventory, name);
    if (copies.empty() || !copies.front().version) continue;
    const Version& version = *copies.front().version;
    for (const KnownIssue& issue : input.tables.known_issues) {
      if (issue.layer != name || !issue.versions.contains(version)) continue;
      if (issue.fixed && version >= *issue.fixed) continue;
      if (!concerns(input.inventory, issue)) continue;
      add_new(subjects, fmt::format("{} {}", library_title(name), version.text()));
      add_new(finding.evidence, copies.front().shown());
      add_new(finding.evidence, printable(issue.issue, 300));
      if (issue.fixed)
        add_new(finding.next, fmt::format("{}: fixed in {}", library_title(name), issue.fixed->text()));
      add_new(finding.sources, cited(issue.source));
      add_new(finding.layers, name);
    }
  }
  if (subjects.empty()) return;
  if (finding.next.empty())
    finding.next = {"Measure whether it concerns this machine; no fixed version is known"};
  finding.title = fmt::format("There are reports about {}", fmt::join(subjects, " and "));
  findings.push_back(std::move(finding));
}

}  // namespace

void check_libraries(const RuleInput& input, Findings& findings) {
  check_cudnn(input, findings);
  check_nccl(input, findings);
  check_copies(input, findings);
  check_mapped(input, findings);
  check_known_issues(input, findings);
}

}  // namespace gpugauge::stack
