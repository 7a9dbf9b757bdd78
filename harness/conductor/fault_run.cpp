#include "conductor/fault_run.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "conductor/fault_read.hpp"
#include "conductor/neighbour.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "run/load.hpp"
#include "run/quota.hpp"
#include "run/surroundings.hpp"
#include "run/under.hpp"
#include "stack/now.hpp"
#include "stack/tree.hpp"

namespace gpugauge::conductor {
namespace {

/// A command has this much beside its budget, for the round that it is in.
constexpr double beyond_budget_seconds = 600;
/// For the command to end its family, which has a grace time itself.
constexpr double end_grace_seconds = 15;
/// Another command may measure the device meanwhile.
constexpr std::string_view wait_for_device = "60";
constexpr std::size_t bytes_per_thread = std::size_t{256} << 20U;
constexpr double family_settle_seconds = 5;
constexpr std::string_view family_window = "--gpugauge_window=3600";

std::string healthy_name(const Target& target) {
  return fmt::format("healthy-{}", target.kind == DeviceKind::host    ? "host"
                                   : target.kind == DeviceKind::links ? "links"
                                                                      : "gpu");
}

/// The NUMA node of the GPU that CUDA shows under this UUID, as the kernel's list of processors of every
/// other node; empty where there is no other, or the GPU's is not known.
std::vector<int> processors_of_other_node(const Target& target) {
  const stack::Tree tree("/");
  std::optional<int> own;
  for (const stack::KernelGpu& gpu : stack::machine_now("/").gpus) {
    if (gpu.uuid != target.selection) continue;
    const std::string text = tree.read(fmt::format("/sys/bus/pci/devices/{}/numa_node", gpu.address)).text;
    if (!text.empty() && text.front() >= '0' && text.front() <= '9') own = std::stoi(text);
  }
  if (!own) return {};
  const std::vector<int> allowed = run::allowed_processors();
  for (const int node : run::parse_processors(tree.read("/sys/devices/system/node/online").text)) {
    if (node == *own) continue;
    std::vector<int> there =
        run::parse_processors(tree.read(fmt::format("/sys/devices/system/node/node{}/cpulist", node)).text);
    std::erase_if(there,
                  [&](int one) { return std::find(allowed.begin(), allowed.end(), one) == allowed.end(); });
    if (!there.empty()) return there;
  }
  return {};
}

std::vector<int> confined_processors(const Fault& fault, const Target* target) {
  if (fault.confined == ConfinedTo::another_node && target != nullptr)
    return processors_of_other_node(*target);
  if (fault.confined == ConfinedTo::one_processor) {
    const std::vector<int> allowed = run::allowed_processors();
    if (!allowed.empty()) return {allowed.back()};
  }
  return {};
}

std::vector<int> half_of(std::vector<int> processors) {
  processors.erase(processors.begin(),
                   processors.begin() + static_cast<std::ptrdiff_t>(processors.size() / 2));
  return processors;
}

/// A host's benchmarks use every processor that they may, the thread that feeds a GPU uses one.
double processors_of_case(const Target& target) {
  return target.kind == DeviceKind::host
             ? static_cast<double>(std::max<std::size_t>(run::allowed_processors().size(), 1))
             : 1;
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

const Target* target_of_kind(const FaultBench& bench, DeviceKind kind) {
  const auto found = std::find_if(bench.targets.begin(), bench.targets.end(),
                                  [&](const Target& target) { return target.kind == kind; });
  return found == bench.targets.end() ? nullptr : &*found;
}

std::string why_not_here(const Fault& fault, const FaultBench& bench) {
  if (!fault.why_never.empty()) return std::string(fault.why_never);
  const Target* target = target_of_kind(bench, fault.device);
  if (target == nullptr) {
    if (fault.device == DeviceKind::host) return "the host is not among the devices that were chosen";
    if (!bench.no_gpu.empty()) return bench.no_gpu;
    return fault.device == DeviceKind::links ? "there are no two GPUs with links between them"
                                             : "no GPU is among the devices that were chosen";
  }
  const std::vector<int> allowed = run::allowed_processors();
  if (fault.confined == ConfinedTo::one_processor && allowed.size() < 2)
    return "this command itself may use one processor only";
  if (fault.confined == ConfinedTo::another_node && processors_of_other_node(*target).empty())
    return "there is no NUMA node beside the GPU's whose processors this command may use";
  if (fault.neighbour == Neighbour::family &&
      std::none_of(bench.catalogue.families.begin(), bench.catalogue.families.end(),
                   [&](const run::Family& family) { return family.name == fault.neighbour_family; }))
    return fmt::format("the family {} is not installed here", fault.neighbour_family);
  if (fault.found_by == FoundBy::doctor) return "";
  for (const std::string_view word : fault.measures)
    if (std::none_of(bench.catalogue.benchmarks.begin(), bench.catalogue.benchmarks.end(),
                     [&](const Benchmark& benchmark) {
                       return benchmark.kind == fault.device && selects(std::string(word), benchmark) &&
                              run::depth_of(benchmark.profile) <= run::depth_of(bench.profile);
                     }))
      return fmt::format("the profile {} measures no {} here, which would show it", bench.profile, word);
  return "";
}

/// How a child of the command ended, and what it wrote.
struct FaultRunner::Ended {
  std::optional<int> code;  ///< absent where it did not end by itself
  std::string output;       ///< standard output
  std::string said;         ///< the end of standard error
  std::string fault;        ///< how it ended, where not with a code
};

FaultRunner::FaultRunner(const FaultBench& bench) : bench_(bench) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    watches_.push_back(std::make_unique<run::SignalWatch>(loop_, signal, [this](int number) {
      if (signal_ == 0) signal_ = number;
      if (on_signal_) on_signal_(number);
    }));
}

FaultRunner::~FaultRunner() = default;

FaultRunner::Ended FaultRunner::run(const std::vector<std::string>& words,
                                    const std::vector<std::string>& under,
                                    const std::map<std::string, std::string>& environment) {
  Ended ended;
  run::Command command{bench_.executable, {"probe", "under", "--parent", fmt::format("{}", ::getpid())}, {}};
  command.arguments.insert(command.arguments.end(), under.begin(), under.end());
  command.arguments.emplace_back("--");
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.environment = environment;
  run::ChildOptions options;
  options.limit_seconds = bench_.budget_seconds + beyond_budget_seconds;
  options.grace_seconds = end_grace_seconds;
  options.end_descendants = false;  // the neighbours are none of its own
  options.on_output = [&](std::string_view text) { ended.output += text; };
  run::Child child(loop_, command, std::move(options));
  bool asked = signal_ != 0;
  if (asked) child.stop();
  on_signal_ = [&](int) {
    if (asked) return child.kill_now();
    asked = true;
    child.stop();
  };
  run::Timer ticking(loop_);
  ticking.every(1, [this] {
    if (tick) tick();
  });
  loop_.run_until([&] { return child.ended(); });
  on_signal_ = nullptr;
  ended.code = child.end().exit_code;
  ended.fault = child.end().fault;
  ended.said = child.end().output;
  return ended;
}

std::vector<std::string> FaultRunner::check_words(const Target& target,
                                                  const std::vector<std::string_view>& measures) const {
  std::vector<std::string> words{"check",
                                 "--device",
                                 target.selection,
                                 "--profile",
                                 bench_.profile,
                                 "--baseline",
                                 healthy_name(target),
                                 "--state-dir",
                                 (bench_.folder / "state").string(),
                                 "--report",
                                 fmt::format("json={}", (bench_.folder / "report.json").string()),
                                 "--budget",
                                 fmt::format("{:g}", bench_.budget_seconds),
                                 "--wait",
                                 std::string(wait_for_device),
                                 "--quiet"};
  for (const std::string_view word : measures) words.insert(words.end(), {"--only", std::string(word)});
  return words;
}

report::HealthyRounds FaultRunner::pin_healthy(const Target& target) {
  report::HealthyRounds out;
  out.device = target.selection;
  out.label = target.label;
  const Ended ended =
      run({"baseline", "create", "--device", target.selection, "--profile", bench_.profile, "--rounds",
           fmt::format("{}", bench_.rounds), "--name", healthy_name(target), "--state-dir",
           (bench_.folder / "state").string(), "--wait", std::string(wait_for_device), "--quiet"},
          {}, {});
  if (ended.code == 0)
    out.rounds = bench_.rounds;
  else
    out.problem =
        fmt::format("no healthy rounds, so nothing is judged: {}", last_said(ended.said, ended.fault));
  return out;
}

std::string FaultRunner::ask_healthy_doctor() {
  const Ended ended = run({"doctor", "--json"}, {}, {});
  try {
    for (const std::string& cause : doctor_causes(ended.output)) healthy_findings_.insert(cause);
  } catch (const result::FormatError&) {
    return fmt::format("the doctor gave no answer of the healthy machine: {}",
                       last_said(ended.said, ended.fault));
  }
  return "";
}

report::InjectTrial FaultRunner::read_check(const Ended& ended) const {
  const std::filesystem::path file = bench_.folder / "report.json";
  report::InjectTrial out;
  try {
    if (ended.code != 0 && ended.code != 1 && ended.code != 3)
      out.problem = last_said(ended.said, ended.fault);
    else
      out = check_trial(result::read_file(file));
  } catch (const std::runtime_error& error) {
    out.problem = fmt::format("{}; the command said: {}", error.what(), last_said(ended.said, ended.fault));
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return out;
}

report::InjectTrial FaultRunner::read_doctor(const Ended& ended) const {
  try {
    return doctor_trial(ended.output, healthy_findings_);
  } catch (const result::FormatError&) {
    report::InjectTrial out;
    out.problem = last_said(ended.said, ended.fault);
    return out;
  }
}

report::InjectTrial FaultRunner::measure_quiet(const Target& target) {
  const auto start = std::chrono::steady_clock::now();
  report::InjectTrial out = read_check(run(check_words(target, {}), {}, {}));
  out.seconds = since(start);
  return out;
}

std::vector<run::Command> FaultRunner::neighbours(const Fault& fault,
                                                  const std::vector<int>& confined) const {
  const auto load = [&](const char* kind, const std::vector<int>& processors) {
    return run::Command{
        bench_.executable,
        {"probe", "load", "--kind", kind, "--processors", run::processors_text(processors), "--bytes",
         fmt::format("{}", bytes_per_thread), "--parent", fmt::format("{}", ::getpid())},
        {}};
  };
  switch (fault.neighbour) {
    case Neighbour::none:
      return {};
    case Neighbour::on_its_processor:
      return {load("compute", confined)};
    case Neighbour::on_all_processors:
      return {load("compute", run::allowed_processors())};
    case Neighbour::in_memory:
      return {load("memory", half_of(run::allowed_processors()))};
    case Neighbour::family:
      break;
  }
  std::vector<run::Command> out;
  for (const run::Family& family : bench_.catalogue.families) {
    if (family.name != fault.neighbour_family) continue;
    run::Command command{family.executable, family.arguments, {}};
    command.arguments.insert(command.arguments.end(),
                             {std::string(family_window), "--gpugauge_depth=smoke",
                              fmt::format("--benchmark_filter=^{}", fault.neighbour_filter),
                              fmt::format("--gpugauge_parent={}", ::getpid())});
    command.environment["CUDA_VISIBLE_DEVICES"] = target_of_kind(bench_, fault.device)->visible;
    command.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    out.push_back(std::move(command));
  }
  return out;
}

report::InjectTrial FaultRunner::measure(const Fault& fault, bool& refused) {
  const auto start = std::chrono::steady_clock::now();
  report::InjectTrial out;
  refused = true;
  const Target& target = *target_of_kind(bench_, fault.device);
  std::optional<run::Quota> quota;
  std::vector<std::string> under;
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : fault.environment) environment[std::string(name)] = value;
  try {
    if (fault.quota > 0) {
      quota.emplace(fault.quota * processors_of_case(target), bench_.root);
      under.insert(under.end(), {"--group", quota->folder().string()});
    }
  } catch (const run::QuotaRefused& error) {
    out.problem = error.what();
    return out;
  }
  const std::vector<int> confined = confined_processors(fault, &target);
  if (!confined.empty()) under.insert(under.end(), {"--processors", run::processors_text(confined)});
  if (fault.shm_mib > 0) under.insert(under.end(), {"--shm-mib", fmt::format("{}", fault.shm_mib)});
  {
    std::optional<NeighbourProcesses> beside;
    if (fault.neighbour != Neighbour::none) {
      beside.emplace(loop_, neighbours(fault, confined));
      const bool family = fault.neighbour == Neighbour::family;
      const std::string why = beside->wait_until_at_work(family ? "" : run::load_ready, family_settle_seconds,
                                                         [&] { return stopped(); });
      if (!why.empty()) {
        out.problem = fmt::format("the neighbour could not be set to work: {}", why);
        return out;
      }
    }
    const bool doctor = fault.found_by == FoundBy::doctor;
    const Ended ended =
        run(doctor ? std::vector<std::string>{"doctor", "--json"} : check_words(target, fault.measures),
            under, environment);
    refused = ended.code == run::under_refused;
    if (refused)
      out.problem = last_said(ended.said, ended.fault);
    else
      out = doctor ? read_doctor(ended) : read_check(ended);
    if (beside && !beside->fault().empty() && out.problem.empty())
      out.problem = fmt::format("the neighbour did not stay at work: {}", beside->fault());
  }
  if (quota)
    if (const std::string why = quota->remove(); !why.empty()) left_behind_.push_back(why);
  out.seconds = since(start);
  return out;
}

}  // namespace gpugauge::conductor
