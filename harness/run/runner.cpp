// Executes a plan process by process, with telemetry beside it.
#include "run/runner.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include "result/build.hpp"
#include "result/device_kind.hpp"
#include "result/file.hpp"
#include "result/stopwatch.hpp"
#include "result/temporary_directory.hpp"
#include "result/time.hpp"
#include "run/child.hpp"
#include "run/cool_down.hpp"
#include "run/hangs.hpp"
#include "run/identity.hpp"
#include "run/order.hpp"
#include "run/outcome.hpp"
#include "run/partial.hpp"
#include "run/processes.hpp"
#include "run/stop_signals.hpp"
#include "run/telemetry_gpu.hpp"
#include "run/telemetry_host.hpp"
#include "stack/environment.hpp"

namespace gpugauge::run {
namespace {

constexpr double telemetry_interval_seconds = .5;

/// The execution of one plan.
class Execution {
 public:
  Execution(const Plan& plan, const std::function<void(const Progress&)>& progress)
      : plan_(plan),
        progress_(progress),
        steps_(order(plan.families.size(), plan.profile.processes, plan.seed)),
        host_telemetry_(reader_),
        tick_(loop_) {
    std::erase_if(steps_,
                  [this](const Step& step) { return !plan_.benchmarks.empty() && ids_of(step).empty(); });
    watch_.emplace(loop_, [this](int signal) { stop(signal); });
    folder_.emplace();
  }

  result::Run run(int* stopped_by, std::optional<result::StopsHeldBack>* held) {
    describe_run();
    start_telemetry();
    if (gpu_telemetry_) {
      gpu_telemetry_->await_before_work([this] { return stop_signal_ != 0; });
      await_cool();
    }
    for (std::size_t i = 0; i < steps_.size() && stop_signal_ == 0; ++i) {
      if (i > 0) loop_.run_for(plan_.profile.pause_seconds, [&] { return stop_signal_ != 0; });
      if (stop_signal_ == 0) execute_step(static_cast<int>(i));
    }
    finish_telemetry();
    folder_.reset();
    if (held != nullptr) held->emplace();
    watch_->end();
    conclude();
    if (stopped_by != nullptr) *stopped_by = stop_signal_;
    return std::move(run_);
  }

 private:
  double now() const { return since_start_.seconds(); }

  /// The plan's entries for the benchmarks that this process measures.
  std::vector<const PlannedBenchmark*> benchmarks_of(const Step& step) const {
    const std::string start = plan_.families[step.family].name + "/";
    std::vector<const PlannedBenchmark*> out;
    for (const PlannedBenchmark& benchmark : plan_.benchmarks)
      if (benchmark.id.starts_with(start) && step.index < benchmark.processes) out.push_back(&benchmark);
    return out;
  }
  std::vector<std::string> ids_of(const Step& step) const {
    std::vector<std::string> out;
    for (const PlannedBenchmark* benchmark : benchmarks_of(step)) out.push_back(benchmark->id);
    return out;
  }

  /// The ids the process must measure; empty = everything the profile measures of its family.
  std::vector<std::string> only_of(const Step& step) const {
    if (plan_.benchmarks.empty()) return plan_.only;
    const std::string start = plan_.families[step.family].name + "/";
    const auto left_out = [&](const PlannedBenchmark& benchmark) {
      return benchmark.id.starts_with(start) && step.index >= benchmark.processes;
    };
    const bool all =
        plan_.only.empty() && std::none_of(plan_.benchmarks.begin(), plan_.benchmarks.end(), left_out);
    return all ? std::vector<std::string>{} : ids_of(step);
  }

  /// Estimated seconds of a process; nullopt if the plan has no estimate.
  std::optional<double> planned_seconds(const Step& step) const {
    const auto benchmarks = benchmarks_of(step);
    if (benchmarks.empty()) return std::nullopt;
    const auto start = plan_.start_seconds.find(plan_.families[step.family].name);
    double seconds = start == plan_.start_seconds.end() ? 0 : start->second;
    for (const PlannedBenchmark* benchmark : benchmarks) seconds += benchmark->seconds;
    return seconds;
  }

  void describe_run() {
    run_.id = make_id();
    run_.started = result::utc_now_milliseconds();
    run_.seed = plan_.seed;
    run_.profile = plan_.profile.name;
    run_.device = plan_.device_selection;
    run_.round = plan_.round;
    run_.command = plan_.command;
    run_.only = plan_.only;
    run_.boot_id = boot_id();
    run_.fingerprint = plan_.fingerprint;
    errno = 0;
    if (const int nice = ::getpriority(PRIO_PROCESS, 0); errno == 0 && nice > 0)
      run_.remarks.push_back(fmt::format(
          "Measured at niceness {}: other work on this machine is given the processors first.", nice));
  }

  void start_telemetry() {
    if (plan_.gpu_telemetry) {
      GpuTelemetry::Options options;
      options.command = telemetry_command();
      if (const auto& words = plan_.telemetry_command; !words.empty())
        options.command = {words.front(), {words.begin() + 1, words.end()}, {}};
      gpu_telemetry_.emplace(loop_, std::move(options), [this] { return now(); });
    }
    host_telemetry_.sample(now());
    tick_.every(telemetry_interval_seconds, [this] {
      host_telemetry_.sample(now());
      report_progress();
    });
  }

  /// Lets the GPUs cool from what they did before. What they do not lose in time is said.
  void await_cool() {
    const auto hot = [this] {
      return gpu_telemetry_->alive()
                 ? cooling(gpu_telemetry_->series(), plan_.device, now(), plan_.profile.cool_down)
                 : Cooling{};
    };
    cools_ = true;
    report_progress();
    loop_.run_for(plan_.profile.cool_down.most_seconds,
                  [&] { return stop_signal_ != 0 || hot().uuid.empty(); });
    cools_ = false;
    if (const Cooling left = hot(); stop_signal_ == 0 && !left.uuid.empty())
      run_.remarks.push_back(fmt::format(
          "{} was still cooling, at {:.0f} degrees Celsius, after {:g} s of waiting: the first families "
          "measured the heat of what ran before.",
          left.uuid, left.celsius, plan_.profile.cool_down.most_seconds));
  }

  void finish_telemetry() {
    tick_.stop();
    running_.reset();
    host_telemetry_.sample(now());
    run_.telemetry = host_telemetry_.series();
    if (!gpu_telemetry_) return;
    gpu_telemetry_->finish();
    const auto& series = gpu_telemetry_->series();
    run_.telemetry.insert(run_.telemetry.end(), series.begin(), series.end());
    if (!gpu_telemetry_->remark().empty()) run_.remarks.push_back(gpu_telemetry_->remark());
  }

  Command command_of(const Step& step, const std::filesystem::path& samples) const {
    const auto& family = plan_.families[step.family];
    Command command{family.executable, {}, {}};
    command.arguments = family.arguments;
    for (std::string& flag : std::vector<std::string>{
             fmt::format("--gpugauge_samples={}", samples.string()),
             fmt::format("--gpugauge_seed={}", process_seed(plan_.seed, family.name, step.index)),
             fmt::format("--gpugauge_window={}", plan_.profile.window_seconds),
             fmt::format("--gpugauge_depth={}", plan_.profile.name),
             fmt::format("--gpugauge_parent={}", getpid()),
         })
      command.arguments.push_back(std::move(flag));
    if (plan_.profile.mean_window_seconds > 0)
      command.arguments.push_back(
          fmt::format("--gpugauge_mean_window={}", plan_.profile.mean_window_seconds));
    // Families without such a benchmark may be third-party and not know the flag.
    const auto benchmarks = benchmarks_of(step);
    if (plan_.profile.sustained_seconds > 0 &&
        std::any_of(benchmarks.begin(), benchmarks.end(),
                    [](const PlannedBenchmark* benchmark) { return benchmark->sustained; }))
      command.arguments.push_back(fmt::format("--gpugauge_sustained={}", plan_.profile.sustained_seconds));
    if (const std::vector<std::string> only = only_of(step); !only.empty()) {
      std::string lines;
      for (const auto& id : only) lines += id + "\n";
      const auto file = folder_->path() / "only.txt";  // one process at a time reads it
      result::write_file(file, lines);
      command.arguments.push_back(fmt::format("--gpugauge_only={}", file.string()));
    }
    if (!result::is_host(plan_.device)) {
      command.environment["CUDA_VISIBLE_DEVICES"] = plan_.device;
      command.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
    }
    for (const auto& [name, value] : plan_.surroundings.set) command.environment[name] = value;
    command.unset = plan_.surroundings.unset;
    // Google Benchmark also takes flags from variables. Only the plan decides what is measured, and how.
    for (const auto& variable : stack::current_environment())
      if (variable.first.starts_with("BENCHMARK_")) command.unset.push_back(variable.first);
    return command;
  }

  void execute_step(int position) {
    const Step& step = steps_[static_cast<std::size_t>(position)];
    const auto samples = folder_->path() / fmt::format("samples-{}.json", position);
    ChildOptions options;
    options.limit_seconds = plan_.profile.limit_seconds;
    options.grace_seconds = plan_.profile.grace_seconds;
    result::Process process;
    process.family = plan_.families[step.family].name;
    process.index = step.index;
    process.order = position;

    const auto before = reader_.counters();
    const double helpers_before = helpers_seconds();
    process.expected_seconds = planned_seconds(step);
    process.start_seconds = now();
    running_ = Running{step, process.start_seconds};
    report_progress();
    if (std::string why_not = hangs_.why_not(process.family); !why_not.empty()) {
      process.status = result::Status::failed;
      process.reason = std::move(why_not);
      process.expected_seconds.reset();  // the process used none of it
      run_.processes.push_back(std::move(process));
      running_->ended = true;
      return;
    }
    std::optional<Child> child;
    {
      const Confined confined(plan_.surroundings.processors);  // processes started meanwhile inherit it
      child.emplace(loop_, command_of(step, samples), options);
    }
    {
      const Current until_it_has_ended(child_, *child);
      if (stop_signal_ != 0) child->stop();
      loop_.run_until([&] { return child->ended(); });
    }
    hangs_.ended(process.family, child->end().timed_out);
    process.wall_seconds = child->end().wall_seconds;
    process.host = difference(before, reader_.counters(), std::max(0.0, helpers_seconds() - helpers_before));

    const auto& family = plan_.families[step.family];
    const std::string stopped_by = stop_signal_ == 0 ? "" : signal_name(stop_signal_);
    Asked asked{plan_.device, {}};
    for (const PlannedBenchmark* const benchmark : benchmarks_of(step))
      if (!benchmark->stands_in) asked.benchmarks.push_back(benchmark->id);
    for (auto& remark : conclude_process(process, child->end(), family.executable.filename().string(),
                                         samples, stopped_by, asked))
      run_.remarks.push_back(std::move(remark));
    wall_of_family_[step.family].push_back(process.wall_seconds);
    run_.processes.push_back(std::move(process));
    running_->ended = true;
    report_progress();
  }

  double helpers_seconds() const { return gpu_telemetry_ ? gpu_telemetry_->cpu_seconds() : 0; }

  void stop(int signal) {
    const bool again = stop_signal_ != 0;
    if (!again) stop_signal_ = signal;
    if (child_ == nullptr) return;
    if (again) {
      child_->kill_now();
    } else {
      child_->stop();
    }
  }

  /// Expected seconds of the process: its plan, corrected by how long earlier processes took relative to
  /// theirs. Without a plan it is the mean wall time of the family's processes so far, or of all if the
  /// family had none. nullopt before the first has ended.
  std::optional<double> expected_seconds(const Step& step) const {
    if (const auto planned = planned_seconds(step)) return *planned * pace();
    double sum = 0;
    std::size_t count = 0;
    const bool own = wall_of_family_.count(step.family) != 0;
    for (const auto& [index, walls] : wall_of_family_) {
      if (own && index != step.family) continue;
      for (const double wall : walls) sum += wall;
      count += walls.size();
    }
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }

  /// Ratio of wall time to estimate over the processes so far; 1 before the first.
  double pace() const {
    double wall = 0;
    double expected = 0;
    for (const result::Process& process : run_.processes) {
      if (!process.expected_seconds) continue;
      wall += process.wall_seconds;
      expected += *process.expected_seconds;
    }
    return expected > 0 ? wall / expected : 1;
  }

  void report_progress() const {
    if (!progress_) return;
    Progress progress;
    progress.done = static_cast<int>(run_.processes.size());
    progress.total = static_cast<int>(steps_.size());
    progress.elapsed_seconds = now();
    for (std::size_t i = run_.processes.size(); i < steps_.size(); ++i) {
      const auto expected = expected_seconds(steps_[i]);
      if (!expected) {
        progress.left_seconds = -1;
        break;
      }
      const bool current = i == run_.processes.size() && running_ && !running_->ended;
      const double used = current ? now() - running_->since : -plan_.profile.pause_seconds;
      progress.left_seconds += std::max(0.0, *expected - used);
    }
    progress.cools = cools_;
    if (running_) {
      progress.family = plan_.families[running_->step.family].name;
      progress.process = running_->step.index;
    }
    progress_(progress);
  }

  void conclude() {
    run_.wall_seconds = now();
    auto& suite = run_.fingerprint.suite;
    suite["suite.profile"] = plan_.profile.name;
    for (auto& remark : add_suite_facts(suite, run_.processes)) run_.remarks.push_back(std::move(remark));
    suite.try_emplace("suite.version", result::build().version);
    run_.partial_reason =
        partial_reason(plan_, steps_, run_.processes, stop_signal_ == 0 ? "" : signal_name(stop_signal_));
    run_.complete = run_.partial_reason.empty();
  }

  /// The child that a stop ends, even if waiting for it throws.
  class Current {
   public:
    Current(Child*& place, Child& child) : place_(place) { place_ = &child; }
    ~Current() { place_ = nullptr; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Child*& place_;
  };
  struct Running {
    Step step;
    double since = 0;
    bool ended = false;
  };

  const Plan& plan_;
  const std::function<void(const Progress&)>& progress_;
  result::Stopwatch since_start_;
  result::Run run_;
  Loop loop_;  // first: the members below hold its handles
  std::vector<Step> steps_;
  HostReader reader_;
  HostTelemetry host_telemetry_;
  Timer tick_;
  std::optional<GpuTelemetry> gpu_telemetry_;
  Child* child_ = nullptr;
  std::optional<Running> running_;
  std::map<std::size_t, std::vector<double>> wall_of_family_;
  Hangs hangs_{plan_.profile.limit_seconds};
  bool cools_ = false;
  int stop_signal_ = 0;
  std::optional<StopSignals> watch_;  // after everything that a stop touches
  // Made while stops are watched: otherwise a stop would leave it behind.
  std::optional<result::TemporaryDirectory> folder_;
};

}  // namespace

result::Run execute(const Plan& plan, const std::function<void(const Progress&)>& progress, int* stopped_by,
                    std::optional<result::StopsHeldBack>* held) {
  return Execution(plan, progress).run(stopped_by, held);
}

}  // namespace gpugauge::run
