// A check whose only family is a few lines of shell that measure what a test says.
#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conductor/conductor.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {

/// A family "host" whose next process leaves what a test says.
class HostFamily {
 public:
  explicit HostFamily(run::Fakes& fakes) : now_(fakes.path() / "now.json") {
    choice.families = {fakes.family("host", "cp '" + now_.string() + "' \"$samples\"")};
  }

  /// What it will measure from now on.
  void latency(double seconds, bool sound = true) const {
    result::Samples samples = run::good_samples("host");
    samples.benchmarks[0].metrics[0].value = seconds;
    samples.benchmarks[0].verifications = {{"sum", sound, sound ? 0.0 : 1.0, 0.0}};
    if (!sound) {
      samples.benchmarks[0].status = result::Status::failed;
      samples.benchmarks[0].reason = "the sum differs";
    }
    run::write_text(now_, result::to_json(samples));
  }

  Choice choice;

 private:
  std::filesystem::path now_;
};

class Check : public testing::Test {
 protected:
  Check() {
    options_.measure.profile = run::quick_plan({}).profile;
    options_.measure.runs_folder = fakes_.path() / "runs";
    std::filesystem::create_directories(options_.measure.runs_folder);
  }

  void latency(double seconds, bool sound = true) { family_.latency(seconds, sound); }

  /// Ten rounds of 1 ms, half a permille apart, two of them bad: slowness now takes more than two rounds to
  /// tell.
  void pin() {
    std::vector<result::Run> rounds;
    for (int round = 1; round <= 10; ++round) {
      latency(1e-3 * (1 + .0005 * round) * (round == 3 || round == 7 ? 1.3 : 1));
      rounds.push_back(measure(options_.measure, target_, choice_, {}, round).run);
    }
    options_.baseline = fakes_.path() / "baseline";
    baseline::create(options_.baseline, "pinned", rounds);
  }

  /// Calls `act` whenever the command shows a title that begins so.
  void when(const std::string& title, const std::function<void()>& act) {
    const auto before = options_.measure.progress;
    options_.measure.progress = [=](const report::ProgressState& state) {
      if (before) before(state);
      if (state.title.starts_with(title)) act();
    };
  }

  /// SIGTERM when the round's only process has ended.
  void stop_when_round_ends(int round) {
    options_.measure.progress = [round](const report::ProgressState& state) {
      if (state.title.starts_with(fmt::format("round {} of ", round)) && state.done == state.total)
        std::raise(SIGTERM);
    };
  }

  run::Fakes fakes_;
  CheckOptions options_;
  Target target_{DeviceKind::host, "host", "host"};
  HostFamily family_{fakes_};
  Choice& choice_ = family_.choice;
};

}  // namespace gpugauge::conductor
