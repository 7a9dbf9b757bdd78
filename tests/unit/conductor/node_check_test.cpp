// What a check of a node does beyond measuring and judging one device.
#include "conductor/node_check.hpp"

#include <cstdlib>

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "run/identity.hpp"
#include "unit/conductor/check_fixture.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::conductor {
namespace {

using judge::ExitCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr const char* made_day = "2026-11-21";

TEST(NodeCheck, UsableGpusAndActivePortsAreWhatAPolicyMayExpect) {
  stack::GpuReport gpus;
  gpus.gpus.resize(2);
  gpus.gpus[0].name = "NVIDIA H200";
  gpus.gpus[1].name = "NVIDIA H100 PCIe";
  stack::Inventory node;
  stack::set(node, "host.infiniband", "mlx5_0 mlx5_1 mlx5_2");
  for (const char* const port : {"mlx5_0", "mlx5_1", "mlx5_2"}) {
    const std::string key = std::string("host.infiniband.") + port;
    stack::set_all(node, {{key + ".driver", "mlx5_core"}, {key + ".state", "ACTIVE"}});
  }
  stack::set(node, "host.infiniband.mlx5_0.rate", "400 Gb/sec (4X NDR)");
  stack::set(node, "host.infiniband.mlx5_1.rate", "100 Gb/sec (4X EDR)");
  stack::set(node, "host.infiniband.mlx5_1.state", "DOWN");
  gpus.state = stack::GpuState::usable;
  EXPECT_THAT(found_on(gpus, node).models, ElementsAre("NVIDIA H200", "NVIDIA H100 PCIe"));
  EXPECT_THAT(found_on(gpus, node).rdma_gigabits, ElementsAre(400, 0)) << "of one the rate is not known";
  gpus.state = stack::GpuState::error;
  EXPECT_THAT(found_on(gpus, node).models, IsEmpty());
}

TEST(NodeCheck, WhyThereIsNoGpuIsWhatFailsAndNothingLess) {
  const stack::Findings found = why_no_gpu(stack::silent_gpu(""), made_day);
  ASSERT_FALSE(found.empty());
  for (const stack::Finding& one : found) EXPECT_EQ(one.severity, stack::Severity::failure) << one.cause;
  EXPECT_THAT(why_no_gpu(stack::h100_server(), made_day), IsEmpty()) << "nothing fails there";
}

TEST(NodeCheck, AFamilyThatIsSilentIsSaidUnlessTheRoundHasIt) {
  report::DeviceReport device;
  device.rounds.emplace_back().processes.emplace_back().family = "cudnn";
  const SilentFamily cudnn{"cudnn", "it ended with exit code 127"};
  const SilentFamily nccl{"nccl", "it ended with exit code 1"};
  say_what_was_left_out(device, {cudnn, nccl}, false);
  EXPECT_THAT(device.remarks, ElementsAre(sentence(nccl)));
  report::DeviceReport unmeasured;
  say_what_was_left_out(unmeasured, {cudnn}, true);
  EXPECT_THAT(unmeasured.remarks,
              ElementsAre(sentence(cudnn),
                          "What the policy expects of the node was not looked at: only the host was asked "
                          "for."));
}

TEST(NodeCheck, NothingIsJudgedByOrKeptThroughALink) {
  const run::Fakes fakes;
  const std::filesystem::path state = fakes.path() / "state";
  const char* const before = std::getenv("GPUGAUGE_STATE");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("GPUGAUGE_STATE", state.c_str(), 1);
  std::filesystem::create_directories(state / "verdicts");
  EXPECT_NO_THROW(refuse_links_in_check(state));
  std::filesystem::create_symlink("/etc/hostname", state / "verdicts" / "GPU-0.json");
  EXPECT_THAT([&] { refuse_links_in_check(state); },
              ThrowsMessage<result::FileError>(HasSubstr("GPU-0.json is a link")));
  std::filesystem::remove(state / "verdicts" / "GPU-0.json");
  std::filesystem::create_directory_symlink("/tmp", state / "site");
  EXPECT_THAT([&] { refuse_links_in_check(state); },
              ThrowsMessage<result::FileError>(HasSubstr("site is a link")));
  before == nullptr ? ::unsetenv("GPUGAUGE_STATE") : ::setenv("GPUGAUGE_STATE", kept.c_str(), 1);
}

TEST(NodeCheck, AFailureThatStaysIsSaidWithWhatEndsIt) {
  const run::Fakes fakes;
  const auto checked = [](ExitCode code, const std::string& profile) {
    report::DeviceReport out;
    out.label = out.selection = "GPU-0";
    out.outcome = {code, "made"};
    result::Run& round = out.rounds.emplace_back();
    round.boot_id = run::boot_id();
    round.profile = profile;
    return out;
  };
  report::DeviceReport failed = checked(ExitCode::regressed, "deep");
  keep_and_say(fakes.path(), failed, {}, {}, {});
  EXPECT_THAT(failed.remarks, IsEmpty());
  report::DeviceReport lesser = checked(ExitCode::pass, "quick");
  keep_and_say(fakes.path(), lesser, {}, {}, {});
  EXPECT_THAT(lesser.remarks,
              ElementsAre("An earlier check in this boot failed this device. `gpugauge status` goes on to "
                          "say so until a check of the whole device by profile deep or a deeper one decides "
                          "otherwise."));
}

/// Two devices, both of them this host.
class InTurnOnHost : public Check {
 protected:
  InTurn through(bool said = false) {
    const Target other{DeviceKind::host, "host", "other"};
    return check_in_turn(options_, {{target_, choice_}, {other, choice_}}, {}, said,
                         [this](const report::DeviceReport& device) {
                           taken_.push_back(device.label);
                           if (act_) act_();
                         });
  }

  std::vector<std::string> taken_;
  std::function<void()> act_;
};

TEST_F(InTurnOnHost, EachDeviceIsTakenAsSoonAsItIsJudged) {
  latency(1e-3);
  const InTurn ended = through();
  EXPECT_FALSE(ended.stopped);
  EXPECT_EQ(ended.error, "");
  EXPECT_THAT(taken_, ElementsAre("host", "other"));
}

TEST_F(InTurnOnHost, AStopEndsItBeforeTheNextDevice) {
  latency(1e-3);
  stop_when_round_ends(1);
  EXPECT_TRUE(through().stopped);
  EXPECT_THAT(taken_, ElementsAre("host"));
}

TEST_F(InTurnOnHost, AnErrorIsToldWhereSomethingWasSaidBefore) {
  latency(1e-3);
  act_ = [] { throw result::FileError("the disk is full"); };
  EXPECT_THAT([&] { through(); }, ThrowsMessage<result::FileError>("the disk is full"));
  taken_.clear();
  const InTurn ended = through(true);
  EXPECT_TRUE(ended.stopped);
  EXPECT_EQ(ended.error, "host: the disk is full");
  act_ = [this] {
    if (taken_.back() == "other") throw result::FileError("the disk is full");
  };
  taken_.clear();
  EXPECT_EQ(through().error, "other: the disk is full");
}

TEST(NodeCheck, LostCardsAreLookedForWhereTheWholeNodeWasAskedAbout) {
  report::Report report;
  report.devices.resize(1);
  report.devices.front().label = "GPU 0";
  report.devices.front().outcome = {ExitCode::pass, "pass"};
  report.devices.front().rounds.emplace_back();
  stack::GpuReport gpus;
  gpus.state = stack::GpuState::usable;
  gpus.gpus.resize(1);
  gpus.gpus.front().uuid = "GPU-0";
  int asked = 0;
  const auto shown = [&] {
    ++asked;
    return Shown{};
  };
  Target target;
  target.kind = DeviceKind::host;
  target.selection = "host";
  judge_together(report, gpus, {{target, {}}}, {}, {false, "", false, 1}, shown);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(report.outcome.code, ExitCode::pass) << report.outcome.sentence;
  target.kind = DeviceKind::gpu;
  target.selection = "GPU-0";
  judge_together(report, gpus, {{target, {}}}, {}, {false, "", true, 2}, shown);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(report.outcome.code, ExitCode::cannot_judge) << "it stopped before the last device";
}

}  // namespace
}  // namespace gpugauge::conductor
