// Judges a planned combination of versions pair by pair.
#include "stack/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/counted.hpp"
#include "stack/plan/plan_policy.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
namespace {

const std::vector<std::string> frameworks{"torch",    "tensorflow", "jax", "onnxruntime",
                                          "tensorrt", "cupy",       "vllm"};

/// The versions in the request, completed from the inventory.
struct Stack {
  std::optional<Version> driver;
  std::optional<Version> cuda;
  bool cuda_asked = false;
  std::vector<GpuModel> gpus;
};

std::vector<GpuModel> models_of(const Inventory& inventory) {
  std::vector<GpuModel> gpus;
  for (const std::string& index : inventory.children("gpu")) {
    const std::string prefix = "gpu." + index + ".";
    const auto capability = Version::parse(inventory.value(prefix + "compute_capability"));
    if (!capability) continue;
    const std::string name = inventory.value(prefix + "name");
    GpuModel model{name, *capability, market_of(name, inventory.value(prefix + "brand"))};
    if (std::find(gpus.begin(), gpus.end(), model) == gpus.end()) gpus.push_back(std::move(model));
  }
  return gpus;
}

/// The CUDA version of the framework's wheel that fits driver and GPUs best; among equals the newest.
std::optional<Version> wheel_cuda(const Tables& tables, const std::string& name, const Version& version,
                                  const Stack& stack) {
  const FrameworkBuild* const build = tables.framework(name, version);
  if (build == nullptr) return std::nullopt;
  std::optional<Version> chosen;
  std::pair<Fit, Fit> best;  // worst fit of all, then of the driver: unknown GPUs do not hide an old driver
  for (const Version& cuda : build->cuda) {
    const Fit by_driver = stack.driver ? fit_driver_cuda(tables, *stack.driver, cuda).fit : Fit::works;
    Fit worst = by_driver;
    for (const GpuModel& gpu : stack.gpus)
      worst = std::max(worst, fit_framework_gpu(tables, name, version, cuda, gpu.compute_capability).fit);
    const std::pair<Fit, Fit> fits{worst, by_driver};
    if (chosen && (fits > best || (fits == best && cuda <= *chosen))) continue;
    chosen = cuda;
    best = fits;
  }
  return chosen;
}

Stack complete(const PlanRequest& request, const Inventory& inventory, const Tables& tables,
               std::vector<std::string>& assumptions) {
  Stack stack;
  stack.driver = request.version("driver");
  if (!stack.driver) {
    stack.driver = Version::parse(inventory.value("driver.version"));
    assumptions.push_back(
        stack.driver
            ? fmt::format("The driver is the inspected machine's, {}.", inventory.value("driver.version"))
            : "No driver is named and none was found: nothing is said about drivers.");
  }
  stack.gpus = request.gpus;
  if (stack.gpus.empty()) {
    stack.gpus = models_of(inventory);
    for (const GpuModel& gpu : stack.gpus)
      assumptions.push_back(fmt::format("The GPU is the inspected machine's, {} (compute capability {}).",
                                        gpu.name, gpu.compute_capability.text()));
    if (stack.gpus.empty())
      assumptions.emplace_back("No GPU is named and none was found: nothing is said about GPUs.");
  }
  stack.cuda = request.version("cuda");
  stack.cuda_asked = stack.cuda.has_value();
  for (const std::string& name : frameworks) {
    const auto version = request.version(name);
    if (stack.cuda || !version) continue;
    stack.cuda = wheel_cuda(tables, name, *version, stack);
    if (stack.cuda)
      assumptions.push_back(fmt::format("CUDA is {}, that of a wheel of {} {}.", stack.cuda->text(),
                                        framework_title(name), version->text()));
  }
  return stack;
}

/// The effect of forward compatibility on a driver that is too old for this CUDA.
std::string forward_remark(const std::vector<GpuModel>& gpus, const Version& cuda) {
  if (gpus.empty()) return "";
  const auto all = [&](Market market) {
    return std::all_of(gpus.begin(), gpus.end(), [&](const GpuModel& gpu) { return gpu.market == market; });
  };
  if (all(Market::data_centre))
    return fmt::format(
        " On data-centre GPUs the package cuda-compat-{}-{} is another way; which older drivers it "
        "supports is not in these tables.",
        cuda.major(), cuda.minor());
  if (all(Market::geforce))
    return " Forward-compatibility packages are no way out: they end with error 804 on GeForce cards.";
  return "";
}

/// Handles a board that no list names but that the machine's own driver supports. Later releases of that
/// branch then support it, too, and so do later branches up to the architecture's last. A list that names it
/// later than this driver stays valid: a branch's first releases are older than the last ones of the previous
/// branch.
void trust_own_driver(const Inventory& inventory, const Tables& tables, const Version& driver,
                      const GpuModel& gpu, PairFit& pair) {
  const auto own = Version::parse(inventory.value("driver.version"));
  if (pair.fit != Fit::unknown || !own || !driver_at_least(driver, *own)) return;
  std::string reason =
      fmt::format("Driver {} drives it here, and this one is not older than that.", driver_text(*own));
  std::vector<std::string> sources{"the inspected machine, whose driver answers for this GPU"};
  if (own->major() != driver.major()) {
    const Architecture* const row = tables.architecture(gpu.compute_capability);
    const bool listed_later = pair.driver_needed && !driver_at_least(driver, *pair.driver_needed);
    const bool tegra = is_tegra(gpu.compute_capability.major() * 10 + gpu.compute_capability.minor());
    if (row == nullptr || listed_later || tegra) return;
    reason = fmt::format("Driver {} drives it here, and no driver up to branch {} is known to drop {}.",
                         driver_text(*own), driver.major(), row->name);
    sources.push_back(row->source.text);
  }
  fit::works(pair, std::move(reason));
  pair.remedy.clear();
  pair.driver_needed.reset();
  pair.sources = std::move(sources);
}

/// Judges replacing a driver that came with NVIDIA's vGPU software. nullopt if it stays, or if the question
/// is about the pair of guest and host.
std::optional<PairFit> vgpu_driver(const PlanRequest& request, const Inventory& inventory) {
  const auto driver = request.version("driver");
  const bool of_this_machine = request.gpus.empty() && !request.driver_given;
  if (!driver || !of_this_machine || request.version("vgpu_host")) return std::nullopt;
  const std::vector<std::string> steps = vgpu_steps(inventory);
  const bool told = !inventory.value("vgpu.version").empty();  // all that a lock records of it
  const auto own = Version::parse(inventory.value("driver.version"));
  // "570" means the branch that is installed.
  const bool stays = own && own->first(driver->size()) == *driver;
  if ((steps.empty() && !told) || stays) return std::nullopt;
  const bool guest = inventory.value("vgpu.guest") == "yes";
  const bool host = inventory.value("vgpu.host") == "yes";
  PairFit pair = fit::pair("driver " + driver_text(*driver), guest  ? "the vGPU of this virtual machine"
                                                             : host ? "this machine's vGPU guests"
                                                                    : "the vGPU software of this machine");
  fit::unknown(pair,
               fmt::format("The driver here is part of NVIDIA's vGPU software, whose guests and hosts "
                           "go together by its releases; {}.",
                           guest ? "which release the host has, a guest is not told" : "no pair was given"));
  pair.remedy = steps.empty() ? "See whether a guest's branch fits a host's: gpugauge doctor --plan "
                                "driver=<guest's>,vgpu_host=<host's>."
                              : fmt::format("{}.", fmt::join(steps, ". "));
  return pair;
}

/// Judges the kind of kernel modules if the machine tells its own; otherwise only states it.
void add_module_kinds(const PlanRequest& request, const Stack& stack, const Inventory& inventory,
                      const Tables& tables, PlanReport& report) {
  if (!request.version("driver")) return;
  const std::string kind = request.gpus.empty() ? inventory.value("driver.kernel_module_kind") : "";
  for (const GpuModel& gpu : stack.gpus) {
    const std::string needed = module_kind_of(gpu);
    if (needed.empty()) continue;
    if (kind == "open" || kind == "proprietary")
      report.pairs.push_back(fit_module_kind(tables, kind, gpu));
    else
      report.assumptions.push_back(
          fmt::format("The driver's packages are those with the {} kernel modules: {} runs on the {} kernel "
                      "modules only.",
                      needed, gpu.name, needed));
  }
}

/// A machine loads one kind of kernel modules: GPUs that need opposite kinds cannot share it.
void add_opposite_kinds(const PlanRequest& request, const Stack& stack, const Tables& tables,
                        PlanReport& report) {
  if (!request.version("driver")) return;
  const auto needing = [&](std::string_view kind) {
    return std::find_if(stack.gpus.begin(), stack.gpus.end(),
                        [&](const GpuModel& gpu) { return module_kind_of(gpu) == kind; });
  };
  const auto open = needing("open");
  const auto proprietary = needing("proprietary");
  if (open == stack.gpus.end() || proprietary == stack.gpus.end()) return;
  PairFit pair = fit::pair(open->name, proprietary->name);
  pair.fit = Fit::fails;
  pair.limit = "gpu";
  pair.reason = fmt::format(
      "{} runs on the open kernel modules only and {} on the proprietary ones only, and a "
      "machine loads one kind of a driver.",
      open->name, proprietary->name);
  pair.remedy = "Put these GPUs into different machines.";
  for (const char* const kind : {"open", "proprietary"})
    if (const StatedRule* const rule = tables.rule(std::string(kind) + " kernel modules"); rule != nullptr)
      pair.sources.push_back(rule->source.text);
  report.pairs.push_back(std::move(pair));
}

/// The planned driver against the CUDA version of something that stays on this machine.
PairFit fit_staying(const Version& driver, const Version& cuda, const std::string& what, const Stack& stack,
                    const Inventory& inventory, const Tables& tables) {
  // "12": built for any of that major version
  PairFit pair = fit_driver_cuda(tables, driver, cuda.size() == 1 ? Version({cuda.major(), 0}) : cuda);
  pair.second = fmt::format("{} that is there (CUDA {})", what, cuda.first(2).text());
  const bool forward = inventory.value("forward_compat.in_use") == "yes";
  if (forward && (pair.fit == Fit::fails || pair.fit == Fit::limited)) {
    pair.limit.clear();
    fit::unknown(pair, pair.reason +
                           " A forward-compatibility package is in use here: which older drivers it "
                           "supports is not in these tables.");
  }
  if (pair.fit == Fit::fails && cuda.size() > 1) pair.remedy += forward_remark(stack.gpus, cuda);
  return pair;
}

/// Checks that what the plan leaves unchanged runs on the planned driver. A toolkit is only a limit: its own
/// programs would not run, but those of an older one do.
std::vector<PairFit> pairs_of_what_stays(const PlanRequest& request, const Stack& stack,
                                         const Inventory& inventory, const Tables& tables) {
  std::vector<PairFit> pairs;
  const auto driver = request.version("driver");
  if (!driver || request.driver_given || !request.gpus.empty()) return pairs;
  for (const std::string& name : inventory.children("framework")) {
    const std::string key = "framework." + name;
    const auto cuda = Version::parse(inventory.value(key + ".cuda"));
    if (!cuda || request.version(name) || inventory.value(key + ".build") == "cpu") continue;
    const std::string version = inventory.value(key + ".version");
    pairs.push_back(fit_staying(*driver, *cuda,
                                framework_title(name) + (version.empty() ? "" : " " + printable(version, 40)),
                                stack, inventory, tables));
    if (pairs.back().fit == Fit::fails)
      pairs.back().remedy += fmt::format(" Or plan a build of {} for an older CUDA with it ({}=...).",
                                         framework_title(name), name);
  }
  const auto toolkit = Version::parse(layer_version(inventory, "cuda"));
  if (!toolkit || request.version("cuda")) return pairs;
  pairs.push_back(fit_staying(*driver, *toolkit, "the CUDA toolkit", stack, inventory, tables));
  if (pairs.back().fit != Fit::fails) return pairs;
  pairs.back().fit = Fit::limited;
  pairs.back().remedy += " Or plan an older toolkit with it (cuda=...).";
  return pairs;
}

std::vector<PairFit> pairs_of(const PlanRequest& request, const Stack& stack, const Inventory& inventory,
                              const Tables& tables) {
  std::vector<PairFit> pairs;
  const auto& [driver, cuda, cuda_asked, gpus] = stack;
  if (driver && cuda && cuda_asked) {
    pairs.push_back(fit_driver_cuda(tables, *driver, *cuda));
    if (pairs.back().fit == Fit::fails) pairs.back().remedy += forward_remark(gpus, *cuda);
  }
  if (const auto host = request.version("vgpu_host"); host && driver)
    pairs.push_back(fit_vgpu(tables, *driver, *host));
  if (auto pair = vgpu_driver(request, inventory)) pairs.push_back(std::move(*pair));
  for (const GpuModel& gpu : gpus) {
    if (driver) {
      pairs.push_back(fit_driver_gpu(tables, *driver, gpu));
      if (request.gpus.empty()) trust_own_driver(inventory, tables, *driver, gpu, pairs.back());
    }
    if (cuda && cuda_asked) pairs.push_back(fit_cuda_gpu(tables, *cuda, gpu.compute_capability));
  }
  for (PairFit& pair : pairs_of_what_stays(request, stack, inventory, tables))
    pairs.push_back(std::move(pair));
  for (const std::string compiler : {"gcc", "clang"}) {
    if (const auto version = request.version(compiler); version && cuda)
      pairs.push_back(fit_compiler_cuda(tables, compiler, *version, *cuda));
  }
  const auto cudnn = request.version("cudnn");
  if (cudnn) {
    if (cuda) pairs.push_back(fit_cudnn_cuda(tables, *cudnn, *cuda));
    if (cuda && driver) pairs.push_back(fit_cudnn_driver(tables, *cudnn, *cuda, *driver));
    for (const GpuModel& gpu : gpus)
      pairs.push_back(fit_cudnn_gpu(tables, *cudnn, cuda, gpu.compute_capability));
  }
  if (const auto nccl = request.version("nccl"); nccl && cuda)
    pairs.push_back(fit_nccl_cuda(tables, *nccl, cuda->major()));
  const auto python = request.version("python");
  for (const std::string& name : frameworks) {
    const auto version = request.version(name);
    if (!version) continue;
    if (cuda && cuda_asked) pairs.push_back(fit_framework_cuda(tables, name, *version, *cuda));
    if (driver)
      pairs.push_back(
          fit_framework_driver(tables, name, *version, *driver, cuda_asked ? std::nullopt : cuda));
    if (cudnn) pairs.push_back(fit_framework_cudnn(tables, name, *version, cuda, *cudnn));
    for (const GpuModel& gpu : gpus)
      pairs.push_back(fit_framework_gpu(tables, name, *version, cuda, gpu.compute_capability));
    if (python) pairs.push_back(fit_framework_python(tables, name, *version, *python));
  }
  return pairs;
}

/// Adds versions newer than the tables, or that never existed: they fit nothing known.
void add_unknown_layers(const Stack& stack, const Tables& tables, std::vector<PairFit>& pairs) {
  if (stack.driver && !tables.driver_branches.empty() && tables.branch(*stack.driver) == nullptr) {
    PairFit pair = fit::pair("driver " + driver_text(*stack.driver), "NVIDIA's driver branches");
    pairs.push_back(fit::unknown(pair, "The tables of this build know no driver branch of that number."));
  }
  if (stack.cuda && stack.cuda_asked && *stack.cuda > tables.newest_known_cuda()) {
    PairFit pair = fit::pair("CUDA " + stack.cuda->text(), "NVIDIA's CUDA releases");
    pairs.push_back(fit::unknown(
        pair, fmt::format("The tables of this build end with CUDA {}.", tables.newest_known_cuda().text())));
  }
}

/// Layers of the deciding pairs: hardware, then the driver, then the rest. What cannot be changed comes
/// first.
std::vector<std::string> limits_of(const std::vector<PairFit>& pairs, Fit outcome) {
  std::vector<std::string> order{"gpu"};
  order.insert(order.end(), plan_keys().begin(), plan_keys().end());
  std::vector<std::string> limits;
  for (const std::string& layer : order) {
    if (std::any_of(pairs.begin(), pairs.end(),
                    [&](const PairFit& pair) { return pair.fit == outcome && pair.limit == layer; }))
      limits.push_back(layer);
  }
  return limits;
}

std::string sentence_of(const PlanReport& report) {
  if (report.pairs.empty())
    return "Nothing can be judged: the plan and the inspected machine together name no two layers that "
           "depend on each "
           "other.";
  std::vector<std::string> open;
  for (const PairFit& pair : report.pairs) {
    if (pair.fit == Fit::unknown) open.push_back(pair.first + " with " + pair.second);
  }
  const std::string limits = fmt::format("{}", fmt::join(report.limits, ", then "));
  switch (report.outcome) {
    case Fit::works:
      return fmt::format(
          "This combination works: {} looked up, each by the source beside its row in the tables.",
          result::counted(report.pairs.size(), "pair"));
    case Fit::limited:
      return fmt::format("This combination works with limits; what limits it: {}.", limits);
    case Fit::fails:
      return fmt::format("This combination does not work; what would have to change: {}.", limits);
    case Fit::unknown:
      break;
  }
  return fmt::format(
      "Whether this combination works is unknown: nothing is known against it, and the tables do "
      "not tell of {}.",
      fmt::join(open, "; "));
}

}  // namespace

PlanReport plan(const PlanRequest& request, const Inventory& inventory, const Tables& tables,
                const PlanTerms& terms) {
  PlanReport report;
  const Stack stack = complete(request, inventory, tables, report.assumptions);
  report.pairs = pairs_of(request, stack, inventory, tables);
  add_module_kinds(request, stack, inventory, tables, report);
  add_opposite_kinds(request, stack, tables, report);
  Planned planned{stack.driver, stack.cuda, {}};
  for (const GpuModel& gpu : stack.gpus) planned.capabilities.push_back(gpu.compute_capability);
  report.findings = judge_branches(request, planned, tables, terms, report.pairs);
  // It works, but not as well as possible.
  for (const GpuModel& gpu : stack.gpus)
    if (stack.cuda && stack.cuda_asked && related_code(tables, *stack.cuda, gpu.compute_capability))
      report.assumptions.push_back(fit_cuda_gpu(tables, *stack.cuda, gpu.compute_capability).reason);
  add_unknown_layers(stack, tables, report.pairs);
  report.outcome = report.pairs.empty() ? Fit::unknown : Fit::works;
  for (const PairFit& pair : report.pairs) report.outcome = std::max(report.outcome, pair.fit);
  const bool placed = stack.driver && !stack.gpus.empty();
  if (!placed && report.outcome == Fit::works) report.outcome = Fit::unknown;
  if (report.outcome == Fit::fails || report.outcome == Fit::limited)
    report.limits = limits_of(report.pairs, report.outcome);
  report.sentence = sentence_of(report);
  const bool told = std::none_of(report.pairs.begin(), report.pairs.end(),
                                 [](const PairFit& pair) { return pair.fit == Fit::unknown; });
  if (!placed && told && report.outcome == Fit::unknown && !report.pairs.empty())
    report.sentence = fmt::format(
        "What was asked fits each other ({} looked up), and whether it runs is not told: {} known. `gpugauge "
        "doctor --plan` takes them with --gpu and --driver.",
        report.pairs.size() == 1 ? "1 pair" : fmt::format("{} pairs", report.pairs.size()),
        stack.driver         ? "no GPU is"
        : stack.gpus.empty() ? "neither driver nor GPU is"
                             : "no driver is");
  // A guest's or host's driver comes with its vGPU release; no upgrade order is known for it.
  if (report.outcome != Fit::fails && !vgpu_driver(request, inventory))
    report.steps = plan_steps(request, inventory);
  return report;
}

}  // namespace gpugauge::stack
