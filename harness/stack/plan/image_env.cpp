// Judges whether an image runs on a host, from its environment.
#include "stack/plan/image_env.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/plan/plan_gpu_models.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

struct FactName {
  const char* fact;
  const char* name;  ///< of a variable; of a label if it has a dot
};
// The first one present counts.
constexpr std::array fact_names{
    FactName{"cuda", "CUDA_VERSION"},
    FactName{"cuda", "com.nvidia.cuda.version"},
    FactName{"cudnn", "NV_CUDNN_VERSION"},
    FactName{"cudnn", "CUDNN_VERSION"},
    FactName{"cudnn", "com.nvidia.cudnn.version"},
    FactName{"nccl", "NCCL_VERSION"},
    FactName{"nccl", "NV_LIBNCCL_PACKAGE_VERSION"},
    FactName{"nccl", "com.nvidia.nccl.version"},
    FactName{"torch", "PYTORCH_VERSION"},
    FactName{"tensorflow", "TENSORFLOW_VERSION"},
    FactName{"tensorrt", "TENSORRT_VERSION"},
    FactName{"compat_driver", "CUDA_DRIVER_VERSION"},
    FactName{"capabilities", "NVIDIA_DRIVER_CAPABILITIES"},
    FactName{"visible_devices", "NVIDIA_VISIBLE_DEVICES"},
};

struct Judge {
  const ImageEnvironment& image;
  const Inventory& host;
  const Tables& tables;
  ImageReport& report;

  std::optional<Version> driver;
  /// Some alternative of NVIDIA_REQUIRE_* that holds names this driver for this brand.
  bool names_branch = false;

  Finding& add(Cause cause, Severity severity, const std::string& title) {
    report.findings.push_back(make_finding(cause, severity, title, ""));
    report.findings.back().layers = {"container"};
    return report.findings.back();
  }

  std::optional<Version> fact_version(const char* name) const {
    const auto found = report.facts.find(name);
    if (found == report.facts.end()) return std::nullopt;
    return Version::parse(found->second);
  }

  Market market() const {
    for (const std::string& index : host.children("gpu"))
      return market_of(host.value("gpu." + index + ".name"), host.value("gpu." + index + ".brand"));
    return Market::unknown;
  }

  void read_facts() const {
    for (const FactName& entry : fact_names) {
      const std::string name = entry.name;
      const auto& table = name.find('.') == std::string::npos ? image.variables : image.labels;
      const auto found = table.find(name);
      if (found != table.end() && !found->second.empty())
        report.facts.emplace(entry.fact, printable(found->second));
    }
  }

  bool requirements_disabled() const {
    const auto found = image.variables.find("NVIDIA_DISABLE_REQUIRE");
    return found != image.variables.end() && (found->second == "1" || found->second == "true");
  }

  void check_requirements() {
    const RequireHost wanted = require_host(host);
    for (const auto& [name, value] : image.variables) {
      if (!name.starts_with("NVIDIA_REQUIRE_") || value.empty()) continue;
      const auto expression = parse_require(value);
      const auto one = expression ? holds(*expression, wanted) : std::nullopt;
      names_branch = names_branch || (expression && names_driver(*expression, wanted));
      if (one && *one) continue;
      if (!expression) {
        Finding& finding = add(Cause("image_requirement_unread"), Severity::note,
                               "A requirement of the image cannot be read");
        finding.explanation =
            "The text is no list of conditions on cuda, driver, arch and brand, so it was not judged.";
        finding.evidence = {fmt::format("{}={}", name, printable(value))};
      } else if (!one) {
        Finding& finding = add(Cause("image_requirement_unread"), Severity::note,
                               "A requirement of the image could not be judged");
        finding.explanation = "It depends on something of this host that is not known here.";
        finding.evidence = {fmt::format("{}={}", name, printable(value)), host_text(wanted)};
      } else if (requirements_disabled()) {
        Finding& finding = add(Cause("image_requirement_refused"), Severity::warning,
                               "The image's own requirement does not hold, and its check is switched off");
        finding.explanation =
            "NVIDIA_DISABLE_REQUIRE lets the container start on a host that the image was not "
            "made for.";
        finding.evidence = {fmt::format("{}={}", name, printable(value)), host_text(wanted)};
        finding.next = {"upgrade the host's driver, or take an image for an older CUDA"};
      } else {
        Finding& finding = add(Cause("image_requirement_refused"), Severity::failure,
                               "The container runtime refuses to start this image here");
        finding.explanation =
            "NVIDIA's container runtime compares the requirement with the host before the start, "
            "and none of its alternatives holds.";
        finding.evidence = {fmt::format("{}={}", name, printable(value)), host_text(wanted)};
        finding.next = {"upgrade the host's driver, or take an image for an older CUDA",
                        "only to see how far it gets: docker run -e NVIDIA_DISABLE_REQUIRE=1 ..."};
      }
    }
  }

  /// True for an alternative such as "brand=tesla,driver>=535,driver<536" that holds.
  static bool names_driver(const RequireExpression& expression, const RequireHost& wanted) {
    return std::any_of(expression.begin(), expression.end(), [&](const std::vector<RequireTerm>& terms) {
      const auto names = [&](const char* property) {
        return std::any_of(terms.begin(), terms.end(),
                           [&](const RequireTerm& term) { return term.property == property; });
      };
      return names("driver") && names("brand") && holds(RequireExpression{terms}, wanted).value_or(false);
    });
  }

  static std::string host_text(const RequireHost& wanted) {
    return fmt::format(
        "this host: cuda={} driver={} arch={} brand={}", wanted.cuda ? wanted.cuda->text() : "unknown",
        wanted.driver ? driver_text(*wanted.driver) : "unknown",
        wanted.arch ? wanted.arch->text() : "unknown", wanted.brand.empty() ? "unknown" : wanted.brand);
  }

  /// A forward-compatibility package in the image replaces the host's libcuda.
  void check_forward(const PairFit& pair) {
    const bool geforce = market() == Market::geforce;
    const bool centre = market() == Market::data_centre;
    if (centre && names_branch) {
      Finding& finding = add(Cause("image_needs_forward_compatibility"), Severity::warning,
                             "The image runs here only by forward compatibility");
      finding.explanation =
          pair.reason +
          " The image's requirement names this driver branch for this kind of GPU, which says "
          "that its own cuda-compat package takes the place of the host's libcuda.";
      finding.next = {"check that the image holds a folder cuda/compat", pair.remedy};
      finding.sources = pair.sources;
      return;
    }
    Finding& finding = add(Cause("image_newer_than_driver"), Severity::failure,
                           "The image's CUDA is newer than the host's driver runs");
    finding.explanation = pair.reason + " A container brings its own CUDA, but the driver is the host's.";
    if (geforce)
      finding.considered = {"a cuda-compat package in the image: on GeForce cards it ends with error 804"};
    finding.evidence = {pair.first + " on the host", pair.second + " in the image"};
    finding.next = {pair.remedy, "or take an image for an older CUDA"};
    if (centre) {
      const auto cuda = fact_version("cuda");
      finding.considered = {
          fmt::format("a package cuda-compat-{}-{} in the image, with which it would run on this data-centre "
                      "GPU: nothing in its environment says that it carries one",
                      cuda->major(), cuda->minor())};
      finding.next.emplace_back("see whether the image holds a folder cuda/compat");
    }
    finding.sources = pair.sources;
  }

  void check_driver() {
    const auto cuda = fact_version("cuda");
    if (!cuda || cuda->size() < 2) return;
    if (!driver) return;
    const PairFit pair = fit_driver_cuda(tables, *driver, *cuda);
    report.pairs.push_back(pair);
    if (pair.fit == Fit::fails) check_forward(pair);
    if (pair.fit != Fit::limited) return;
    Finding& finding = add(Cause("image_newer_than_driver"), Severity::warning,
                           "The image's CUDA is newer than the host's driver: it runs with limits");
    finding.explanation = pair.reason;
    finding.evidence = {pair.first + " on the host", pair.second + " in the image"};
    finding.next = {pair.remedy, "or take an image for an older CUDA"};
    finding.sources = pair.sources;
  }

  void check_gpus() {
    const auto cuda = fact_version("cuda");
    const auto cudnn = fact_version("cudnn");
    std::vector<Version> seen;
    for (const std::string& index : host.children("gpu")) {
      const auto capability = Version::parse(host.value("gpu." + index + ".compute_capability"));
      if (!capability || std::find(seen.begin(), seen.end(), *capability) != seen.end()) continue;
      seen.push_back(*capability);
      if (cuda && cuda->size() >= 2) {
        judge_gpu(fit_cuda_gpu(tables, *cuda, *capability));
        if (related_code(tables, *cuda, *capability)) note_older_code(report.pairs.back());
      }
      if (cudnn) judge_gpu(fit_cudnn_gpu(tables, *cudnn, cuda, *capability));
    }
  }

  void judge_gpu(const PairFit& pair) {
    report.pairs.push_back(pair);
    if (pair.fit != Fit::fails && pair.fit != Fit::limited) return;
    Finding& finding =
        add(Cause("image_not_for_gpu"), pair.fit == Fit::fails ? Severity::failure : Severity::warning,
            fmt::format("{} of the image does not fit this host's GPU",
                        pair.first.substr(0, pair.first.find(' '))));
    finding.explanation = pair.reason;
    finding.evidence = {pair.first + " in the image", pair.second + " on the host"};
    finding.next = {pair.remedy};
    finding.sources = pair.sources;
  }

  void note_older_code(const PairFit& pair) {
    Finding& finding = add(Cause("image_not_for_gpu"), Severity::note,
                           fmt::format("{} of the image is older than this host's GPU", pair.first));
    finding.explanation = pair.reason;
    finding.evidence = {pair.first + " in the image", pair.second + " on the host"};
    finding.next = {
        "Take an image of a CUDA that generates code for this GPU, for code that is tuned for it"};
    finding.sources = pair.sources;
  }

  void check_capabilities() {
    const auto found = report.facts.find("capabilities");
    if (found != report.facts.end()) {
      const std::string list = "," + found->second + ",";
      if (list.find(",all,") == std::string::npos && list.find(",compute,") == std::string::npos) {
        Finding& finding = add(Cause("image_without_compute"), Severity::failure,
                               "The image does not ask for the driver's compute part");
        finding.explanation =
            "NVIDIA_DRIVER_CAPABILITIES names what of the driver the runtime mounts into the "
            "container; without compute there is no libcuda in it.";
        finding.evidence = {"NVIDIA_DRIVER_CAPABILITIES=" + found->second};
        finding.next = {"docker run -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."};
      }
    }
    const auto devices = image.variables.find("NVIDIA_VISIBLE_DEVICES");
    if (devices == image.variables.end()) return;
    if (devices->second == "void" || devices->second == "none" || devices->second.empty()) {
      Finding& finding = add(Cause("image_hides_gpus"), Severity::warning, "The image asks for no GPU");
      finding.explanation =
          "With this value the runtime shows the container no GPU unless the command line names "
          "some.";
      finding.evidence = {"NVIDIA_VISIBLE_DEVICES=" + printable(devices->second)};
      finding.next = {"docker run --gpus all ...", "docker run -e NVIDIA_VISIBLE_DEVICES=all ..."};
    }
  }

  void check_tags() {
    std::vector<std::string> floating;
    for (const std::string& name : image.tags) {
      // A colon after the last slash begins the tag; one before it begins the registry's port.
      const auto slash = name.rfind('/');
      const auto colon = name.rfind(':');
      const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
      const std::string tag = tagged ? name.substr(colon + 1) : "";
      const bool digest = std::any_of(image.digests.begin(), image.digests.end(),
                                      [&](const std::string& one) { return one.starts_with(name + "@"); });
      if (digest) continue;
      if (tag.empty() || tag.starts_with("latest") || tag.find_first_of("0123456789") == std::string::npos)
        floating.push_back(name + (tag.empty() ? " (no tag: latest)" : ""));
    }
    if (floating.empty()) return;
    Finding& finding =
        add(Cause("image_floating_tag"), Severity::warning, "The image is named by a tag that moves");
    finding.explanation =
        "What such a tag names changes when the image is built anew: the same command brings "
        "another CUDA and other libraries tomorrow.";
    for (const std::string& name : floating) finding.evidence.push_back(printable(name));
    if (!image.digests.empty())
      finding.next.push_back("Name it by its digest: " + printable(image.digests.front()));
    finding.next.emplace_back("Take a tag with the full version, or name the image by its digest");
  }
};

std::string sentence_of(const ImageReport& report, const std::optional<Version>& driver) {
  switch (report.outcome) {
    case Fit::fails:
      return "This image does not run on this host.";
    case Fit::limited:
      return "This image runs on this host with limits.";
    case Fit::works:
      return "This image runs on this host, as far as its environment tells.";
    case Fit::unknown:
      break;
  }
  if (report.facts.find("cuda") == report.facts.end())
    return "Whether this image runs here is unknown: nothing in its environment says which CUDA it holds.";
  return driver ? "Whether this image runs on this host is unknown: the tables do not tell."
                : "Whether this image runs is unknown: no driver was found on this host.";
}

}  // namespace

ImageReport judge_image(const ImageEnvironment& image, const Inventory& host, const Tables& tables) {
  ImageReport report;
  Judge judge{image, host, tables, report, Version::parse(host.value("driver.version"))};
  judge.read_facts();
  judge.check_requirements();
  judge.check_driver();
  judge.check_gpus();
  judge.check_capabilities();
  judge.check_tags();
  report.outcome = judge.driver && report.facts.contains("cuda") ? Fit::works : Fit::unknown;
  for (const PairFit& pair : report.pairs) {
    if (pair.fit == Fit::unknown || pair.fit == Fit::limited)
      report.outcome = std::max(report.outcome, pair.fit);
  }
  // A moving tag does not affect the result today.
  const auto worst = [&](Severity severity) {
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
      return finding.severity == severity && finding.cause != Cause("image_floating_tag").name();
    });
  };
  if (report.outcome == Fit::works && worst(Severity::warning)) report.outcome = Fit::limited;
  if (worst(Severity::failure)) report.outcome = Fit::fails;
  report.sentence = sentence_of(report, judge.driver);
  return report;
}

}  // namespace gpugauge::stack
