// An upgrade of a host whose only family is a few lines of shell.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conductor/upgrade.hpp"
#include "unit/conductor/check_fixture.hpp"

namespace gpugauge::conductor {

class Upgrade : public testing::Test {
 protected:
  Upgrade() {
    options_.profile = run::quick_plan({}).profile;
    kept_.folder = upgrade_folder(fakes_.path() / "state", "one");
    kept_.record.name = "one";
    kept_.record.created = "2026-01-01T00:00:00Z";
    kept_.record.who = "root@node3";
    kept_.record.root = "/";
    kept_.record.device = "host";
    kept_.record.profile = "quick";
    kept_.record.rounds = 3;
    kept_.record.devices = {{"host", "host"}};
    latency(1e-3);
  }

  void latency(double seconds, bool sound = true) { family_.latency(seconds, sound); }

  const UpgradeDevice& device() const { return kept_.record.devices.front(); }
  std::string measure_old_side() { return measure_old(kept_, device(), options_, target_, choice_, {}); }
  std::vector<result::Run> rounds(int count) {
    options_.runs_folder = fakes_.path() / "after";
    std::vector<result::Run> out;
    for (Stored& stored : measure_rounds(options_, target_, choice_, {}, 1, count, false).whole)
      out.push_back(std::move(stored.run));
    return out;
  }

  /// The process of the second round does not end by itself, and a signal comes when that round begins.
  void stop_in_second_round(int signal) {
    const std::string slow = (fakes_.path() / "slow").string();
    choice_.families = {fakes_.family("host", "cp '" + (fakes_.path() / "now.json").string() +
                                                  "' \"$samples\"\n[ ! -e '" + slow + "' ] || sleep 20")};
    options_.progress = [this, slow, signal](const report::ProgressState& state) {
      if (state.title.starts_with("round 1 of ") && state.done == state.total) run::write_text(slow, "");
      if (state.title.starts_with("round 2 of ") && !std::exchange(stopped_, true)) std::raise(signal);
    };
  }
  /// Rounds end by themselves again.
  void go_on() {
    options_.progress = nullptr;
    std::filesystem::remove(fakes_.path() / "slow");
  }

  bool stopped_ = false;
  run::Fakes fakes_;
  KeptUpgrade kept_;
  MeasureOptions options_;
  Target target_{DeviceKind::host, "host", "host"};
  HostFamily family_{fakes_};
  Choice& choice_ = family_.choice;
};

/// A change of one layer, with a difference under it unless it is as before.
inline stack::StackChange change_of(const std::string& layer, stack::LayerChange::State state) {
  using State = stack::LayerChange::State;
  stack::LayerChange one;
  one.layer = layer;
  one.state = state;
  if (state != State::unchanged && state != State::back) one.differences.emplace_back();
  stack::StackChange out;
  out.layers = {one};
  return out;
}

}  // namespace gpugauge::conductor
