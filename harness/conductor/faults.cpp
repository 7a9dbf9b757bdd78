// Runs `gpugauge selftest --inject`: healthy rounds, then every fault in turn.
#include "conductor/faults.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "result/stopwatch.hpp"
#include "result/temporary_directory.hpp"
#include "run/quota.hpp"

namespace gpugauge::conductor {
namespace {

/// State of one fault during the repetitions.
struct Tried {
  const Fault* fault = nullptr;
  report::InjectedFault result;
};

/// One session, from the healthy rounds to the last trial.
class Injection {
 public:
  explicit Injection(const InjectOptions& options)
      : options_(options), bench_(options.bench), runner_(bench_) {
    // Made after the runner has taken over the signals: a signal must not end the command before the folder
    // has its owner.
    if (bench_.folder.empty()) bench_.folder = folder_.emplace().path();
    for (const Fault& fault : fault_table()) {
      const bool asked = options.only.empty() ||
                         std::find(options.only.begin(), options.only.end(), fault.id) != options.only.end();
      if (asked) tried_.push_back({&fault, begun(fault)});
    }
    runner_.tick = [this] { say(); };
  }

  report::InjectReport run() {
    report_.profile = bench_.profile;
    report_.repeat = options_.repeat;
    run::remove_abandoned_quotas(bench_.root);
    count();
    pin();
    ask_doctor();
    count();
    for (int i = 0; i < std::max(options_.repeat, options_.quiet_runs) && !runner_.stopped(); ++i) {
      if (i < options_.repeat) try_all();
      if (i < options_.quiet_runs) stay_quiet();
    }
    return conclude();
  }

 private:
  report::InjectedFault begun(const Fault& fault) const {
    report::InjectedFault out;
    out.id = fault.id;
    out.what = fault.what;
    for (const std::string_view cause : fault.causes) out.causes.emplace_back(cause);
    if (const Target* target = target_of_kind(bench_, fault.device)) out.device = target->selection;
    out.not_run = why_not_here(fault, bench_);
    return out;
  }

  /// Counts the trials, leaving out faults that cannot be tried as far as known.
  void count() {
    total_ = options_.quiet_runs;
    for (const Tried& one : tried_) total_ += one.result.not_run.empty() ? options_.repeat : 0;
  }

  double elapsed() const { return since_start_.seconds(); }

  void say() const {
    if (!options_.progress) return;
    const double left = done_ == 0 ? -1 : (elapsed() - pinned_after_) / done_ * (total_ - done_);
    options_.progress({"injected faults", done_, total_, now_, elapsed(), left});
  }

  /// Pins only the baselines that a fault or quiet run needs: for each device, the profiles in use.
  void pin() {
    for (const Target& target : bench_.targets) {
      const bool quiet = options_.quiet_runs > 0 && &target == &bench_.targets.front();
      std::map<int, std::set<std::string>> words;  // words per profile, by its depth
      if (quiet) words[run::depth_of(bench_.profile)];
      for (const Tried& one : tried_)
        if (is_tried(one, target, FoundBy::check))
          words[depth_of(one)].insert(one.fault->measures.begin(), one.fault->measures.end());
      for (const auto& [depth, chosen] : words) pin(target, depth, chosen);
      if (std::any_of(tried_.begin(), tried_.end(),
                      [&](const Tried& one) { return is_tried(one, target, FoundBy::frameworks); }))
        pin_frameworks(target);
    }
    pinned_after_ = elapsed();
  }

  static bool is_tried(const Tried& one, const Target& target, FoundBy found_by) {
    return one.result.not_run.empty() && one.fault->device == target.kind && one.fault->found_by == found_by;
  }

  int depth_of(const Tried& one) const { return run::depth_of(profile_of(*one.fault, bench_)); }

  void pin(const Target& target, int depth, const std::set<std::string>& words) {
    if (runner_.stopped()) return;
    const std::string profile = run::profiles().at(static_cast<std::size_t>(depth)).name;
    const bool whole = profile == bench_.profile;
    now_ = fmt::format("healthy rounds of {}, profile {}", target.brief(), profile);
    say();
    report_.healthy.push_back(runner_.pin_healthy(
        target, profile,
        whole ? std::vector<std::string>() : std::vector<std::string>(words.begin(), words.end())));
    if (report_.healthy.back().problem.empty() || runner_.stopped()) return;
    for (Tried& one : tried_)
      if (is_tried(one, target, FoundBy::check) && depth_of(one) == depth)
        one.result.not_run =
            whole ? fmt::format("there are no healthy rounds of {} to judge against", target.brief())
                  : fmt::format("there are no healthy rounds of {} in the profile {} to judge against",
                                target.brief(), profile);
  }

  void pin_frameworks(const Target& target) {
    if (runner_.stopped()) return;
    now_ = "healthy rounds of PyTorch";
    say();
    report_.healthy.push_back(runner_.pin_healthy_frameworks(target));
    if (report_.healthy.back().problem.empty() || runner_.stopped()) return;
    for (Tried& one : tried_)
      if (is_tried(one, target, FoundBy::frameworks)) one.result.not_run = report_.healthy.back().problem;
  }

  void ask_doctor() {
    const auto needs = [](const Tried& one) {
      return one.result.not_run.empty() && one.fault->found_by == FoundBy::doctor;
    };
    if (runner_.stopped() || std::none_of(tried_.begin(), tried_.end(), needs)) return;
    now_ = "the healthy doctor";
    const std::string problem = runner_.ask_healthy_doctor();
    if (runner_.stopped()) return;
    for (Tried& one : tried_) {
      if (!needs(one)) continue;
      one.result.not_run = problem;
      for (const std::string& cause : one.result.causes)
        if (runner_.healthy_findings().contains(cause))
          one.result.not_run = fmt::format(
              "the doctor names {} of the machine as it is, so setting it would show nothing", cause);
    }
  }

  void try_all() {
    for (Tried& one : tried_) {
      if (runner_.stopped()) return;
      if (!one.result.not_run.empty()) continue;
      now_ = one.result.id;
      say();
      FaultRunner::UnderFault made = runner_.measure(*one.fault);
      if (runner_.stopped()) return;  // an unfinished trial does not count
      ++done_;
      if (made.refused && one.result.trials.empty()) {
        one.result.not_run = made.trial.problem;
        total_ -= options_.repeat - 1;
      } else {
        one.result.trials.push_back(std::move(made.trial));
      }
    }
  }

  void stay_quiet() {
    if (runner_.stopped() || bench_.targets.empty() || report_.healthy.empty() ||
        !report_.healthy.front().problem.empty())
      return;
    now_ = "a quiet run";
    say();
    report::InjectTrial trial = runner_.measure_quiet(bench_.targets.front());
    if (runner_.stopped()) return;
    ++done_;
    report_.quiet.push_back(std::move(trial));
  }

  report::InjectReport conclude() {
    report_.interrupted = runner_.stopped();
    for (Tried& one : tried_) {
      if (report_.interrupted && one.result.not_run.empty() && one.result.trials.empty())
        one.result.not_run = "a signal ended the command before";
      report_.faults.push_back(std::move(one.result));
    }
    for (const std::string& left : runner_.left_behind())
      report_.remarks.push_back(fmt::format("Left behind: {}.", left));
    report_.seconds = elapsed();
    return std::move(report_);
  }

  const InjectOptions& options_;
  FaultBench bench_;  // the bench of the options, with a folder
  FaultRunner runner_;
  std::optional<result::TemporaryDirectory> folder_;
  std::vector<Tried> tried_;
  report::InjectReport report_;
  std::string now_;
  int done_ = 0;
  int total_ = 0;
  double pinned_after_ = 0;
  result::Stopwatch since_start_;
};

}  // namespace

report::InjectReport inject_faults(const InjectOptions& options) {
  require_faults(options.only);
  return Injection(options).run();
}

}  // namespace gpugauge::conductor
