#include "run/telemetry_gpu.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/gpu_series.hpp"
#include "telemetry_fixture.hpp"

namespace gpugauge::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(GpuTelemetryTest, MakesASeriesOfEachQuantityOfEachGpu) {
  const auto series = collect(
      "echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 100.5}, {\"uuid\": \"GPU-2\", "
      "\"power_watts\": 90}]}'\n"
      "echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 101.5, \"sm_clock_hz\": 1.98e9}]}'\nexec "
      "sleep 100",
      [](const auto& telemetry) { return telemetry.series().size() == 3; });
  ASSERT_EQ(series.size(), 3U);
  EXPECT_EQ(series[0].source, "gpu:GPU-1");
  EXPECT_EQ(series[0].name, "power_watts");
  EXPECT_EQ(series[0].unit, "watt");
  EXPECT_THAT(series[0].values, ElementsAre(100.5, 101.5));
  EXPECT_THAT(series[0].seconds, ElementsAre(0, 1));
  EXPECT_EQ(series[1].source, "gpu:GPU-2");
  EXPECT_EQ(series[2].unit, "hertz");
  EXPECT_EQ(remark_, "");
}

TEST_F(GpuTelemetryTest, IgnoresQuantitiesItDoesNotKnow) {
  const auto series =
      collect("echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"colour\": 1, \"power_watts\": 2}]}'; exec sleep 100",
              has_series);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].name, "power_watts");
}

TEST_F(GpuTelemetryTest, SaysWhatTheProcessCouldNot) {
  EXPECT_THAT(collect("echo '{\"error\": \"libnvidia-ml.so.1 cannot be opened.\"}'; exit 1", has_failed),
              IsEmpty());
  EXPECT_EQ(remark_, "No GPU telemetry: libnvidia-ml.so.1 cannot be opened.");
}

TEST_F(GpuTelemetryTest, GivesUpOnAProcessThatDoesNotAnswer) {
  EXPECT_THAT(collect("trap '' TERM; sleep 100", has_failed, .1), IsEmpty());
  EXPECT_THAT(remark_, StartsWith("No GPU telemetry: NVML gave no answer within 0.1 s"));
}

TEST_F(GpuTelemetryTest, SaysWhenItEndedEarly) {
  EXPECT_EQ(
      collect("echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 1}]}'; echo why >&2; kill -SEGV $$",
              has_ended)
          .size(),
      1U);
  EXPECT_EQ(remark_, "GPU telemetry ended early: its process was ended by signal 11 (SIGSEGV). It said: why");
}

TEST_F(GpuTelemetryTest, RefusesGarbage) {
  for (const std::string line :
       {"hello", "[]", "{}", R"({"gpus": [{"power_watts": 1}]})", R"({"gpus": [1]})",
        R"({"gpus": [{"uuid": "GPU-1", "power_watts": "1"}]})", R"({"gpus": [{"uuid": "a b"}]})",
        R"({"gpus": [{"uuid": "GPU-1", "power_watts": 1e999}]})"}) {
    EXPECT_THAT(collect("echo '" + line + "'; exec sleep 100", has_failed), IsEmpty()) << line;
    EXPECT_THAT(remark_, HasSubstr("answered what is no sample: ")) << line;
  }
  collect("head -c 3000000 /dev/zero; exec sleep 100", has_failed);
  EXPECT_THAT(remark_, HasSubstr("answered without end"));
}

TEST(TelemetryLine, SaysWhatItSays) {
  const auto answer = parse_telemetry_line(
      R"({"gpus": [{"uuid": "GPU-1", "power_watts": 100.5}, {"uuid": "GPU-2", "lost": 1}]})");
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->values.size(), 2U);
  EXPECT_EQ(answer->values[0].uuid, "GPU-1");
  EXPECT_EQ(answer->values[0].name, "power_watts");
  EXPECT_EQ(answer->values[0].value, 100.5);
  EXPECT_EQ(answer->lost, "GPU-2");
  EXPECT_FALSE(answer->error);
  const auto error = parse_telemetry_line(R"({"error": "no\nlibrary", "gpus": [{"uuid": "GPU-1", "x": 1}]})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->error, "no?library") << "a remark is one line";
  EXPECT_THAT(error->values, IsEmpty());
  EXPECT_FALSE(parse_telemetry_line(R"({"gpus": [{"uuid": "GPU-1", "power_watts": 1}, {"uuid": "a b"}]})"))
      << "half an answer is none";
  EXPECT_FALSE(parse_telemetry_line(R"({"gpus": {}})"));
  EXPECT_FALSE(parse_telemetry_line(""));
}

TEST_F(GpuTelemetryTest, ReadsNvml) {
  const auto series = collect(
      nvml("nvml_devices=1\nnvml_uuid=GPU-77\nsm_clock_mhz=1980\nmemory_clock_mhz=2619\n"
           "power_mw=700500\ntemperature=61\nmemory_temperature=88\nutilization=98\nthrottle_reasons=4\n"
           "performance_state=0\npcie_generation=4\npcie_width=16\npcie_generation_max=5\npcie_width_max=16\n"
           "memory_used_mib=2\npersistence=1\nnvlinks=18\nnvlinks_active=17\nnvlinks_to_gpu=2\nnvlink_"
           "megabytes=26562\nnoise=nvmlDeviceGetPowerUsage\nremapped=1 2 1 0\nretired_pages_pending=0\n"
           "ecc_uncorrected=3\nprocesses=11:train:2 12:serve:1\n"),
      [](const GpuTelemetry& telemetry) {
        const auto& all = telemetry.series();
        return std::any_of(all.begin(), all.end(),
                           [](const auto& one) { return one.name == "nvlinks_active"; });
      });
  std::map<std::string, double> first;
  for (const auto& one : series) {
    EXPECT_EQ(one.source, "gpu:GPU-77");
    first[one.name] = one.values.at(0);
  }
  const std::map<std::string, double> expected{
      {"sm_clock_hz", 1.98e9},
      {"memory_clock_hz", 2.619e9},
      {"power_watts", 700.5},
      {"temperature_celsius", 61},
      {"utilization", .98},
      {"memory_utilization", 0},
      {"throttle_reasons", 4},
      {"performance_state", 0},
      {"pcie_generation", 4},
      {"pcie_width", 16},
      {"pcie_generation_max", 5},
      {"pcie_width_max", 16},
      {"persistence", 1},
      {"memory_used_bytes", 2 * 1048576},
      {"memory_temperature_celsius", 88},
      {"nvlinks_active", 17},
      {"nvlinks_down", 1},
      {"nvlinks_to_switch", 15},
      {"nvlink_bytes_per_second", 17 * 26562e6},
      {"processes_before", 2},
      {"utilization_before", .98},
      {"remap_pending", 1},
      {"remapped_correctable", 1},
      {"remapped_uncorrectable", 2},
      {"remap_failed", 0},
      {"retired_pages_pending", 0},
      {"ecc_uncorrected_volatile", 3},
      {"ecc_uncorrected_meanwhile", 0},
  };
  EXPECT_EQ(first, expected);
  EXPECT_EQ(gpu_quantities().size(), expected.size() + 2)
      << "one says that it is lost, which this one is not, and one has Xids, of which there were none";
  EXPECT_EQ(remark_, "");
}

TEST_F(GpuTelemetryTest, LeavesOutWhatAGpuDoesNotTell) {
  const auto series =
      collect(nvml("temperature=40\nperformance_state=32\ncode.nvmlDeviceGetComputeRunningProcesses_v3=3\n"),
              has_series);
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].name, "temperature_celsius");
}

TEST_F(GpuTelemetryTest, SeesAnNvlinkThatWentDownMeanwhile) {
  const auto series =
      collect_changed("temperature=40\nnvlinks=18\n", "temperature=40\nnvlinks=18\nnvlinks_active=17\n");
  const std::vector<double> active = values_of(series, "nvlinks_active");
  ASSERT_THAT(active, Not(IsEmpty()));
  EXPECT_EQ(active.back(), 17);
  EXPECT_EQ(values_of(series, "nvlinks_down").back(), 1);
}

TEST_F(GpuTelemetryTest, AsksForNvlinksOnceAndAtTheEnd) {
  const auto series = collect(
      nvml("temperature=40\nnvlinks=4\nnvlink_megabytes=26562\ncode.nvmlDeviceGetNvLinkRemoteDeviceType=3\n"),
      [](const GpuTelemetry& telemetry) {
        const auto& all = telemetry.series();
        return std::any_of(all.begin(), all.end(), [](const auto& one) { return one.values.size() >= 3; });
      });
  EXPECT_THAT(values_of(series, "nvlinks_active"), ElementsAre(4, 4));
  EXPECT_THAT(values_of(series, "nvlinks_to_switch"), ElementsAre(0, 0));
  EXPECT_THAT(values_of(series, "nvlinks_down"), ElementsAre(0, 0));
  EXPECT_THAT(values_of(series, "nvlink_bytes_per_second"), ElementsAre(4 * 26562e6, 4 * 26562e6));
  EXPECT_EQ(series.size(), 6U) << "and of the temperature and of other processes";
}

TEST_F(GpuTelemetryTest, AsksHowHealthyTheMemoryIsAtBothEnds) {
  const auto series = collect_changed("temperature=40\nremapped=0 0 0 0\necc_uncorrected=2\n",
                                      "temperature=40\nremapped=0 1 1 1\necc_uncorrected=5\n");
  EXPECT_THAT(values_of(series, "remap_pending"), ElementsAre(0, 1));
  EXPECT_THAT(values_of(series, "remap_failed"), ElementsAre(0, 1));
  EXPECT_THAT(values_of(series, "remapped_correctable"), ElementsAre(0, 0));
  EXPECT_THAT(values_of(series, "remapped_uncorrectable"), ElementsAre(0, 1));
  EXPECT_THAT(values_of(series, "ecc_uncorrected_volatile"), ElementsAre(2, 5));
  EXPECT_THAT(values_of(series, "ecc_uncorrected_meanwhile"), ElementsAre(3));
  EXPECT_THAT(values_of(series, "retired_pages_pending"), IsEmpty()) << "a GPU that remaps rows has none";
  EXPECT_EQ(remark_, "") << "that it was ended was no accident";
}

TEST_F(GpuTelemetryTest, CountsNoErrorsWhereTheCountWasSetBack) {
  const auto series =
      collect_changed("temperature=40\necc_uncorrected=2\n", "temperature=40\necc_uncorrected=1\n");
  EXPECT_THAT(values_of(series, "ecc_uncorrected_volatile"), ElementsAre(2, 1));
  EXPECT_THAT(values_of(series, "ecc_uncorrected_meanwhile"), IsEmpty());
}

TEST_F(GpuTelemetryTest, HearsOfTheXidsThatComeMeanwhile) {
  const std::string gpus = "nvml_devices=2\ntemperature=40\ngpu.0.xids=13";
  const auto series = collect_changed(gpus + "\n", gpus + " 48 94\ngpu.1.xids=79\n");
  EXPECT_THAT(values_of(series, "xid", "0d0e00"), ElementsAre(48, 94)) << "13 came before";
  EXPECT_THAT(values_of(series, "xid", "0d0e01"), ElementsAre(79));
  EXPECT_EQ(remark_, "");
}

TEST_F(GpuTelemetryTest, NeedsNoNvmlThatTellsOfXids) {
  for (const char* const call : {"nvmlEventSetCreate", "nvmlDeviceRegisterEvents"}) {
    const std::string deaf = fmt::format("temperature=40\ncode.{}=999\n", call);
    const auto series = collect_changed(deaf, deaf + "xids=48\n");
    EXPECT_THAT(values_of(series, "temperature_celsius"), Not(IsEmpty())) << call;
    EXPECT_THAT(values_of(series, "xid"), IsEmpty()) << call;
    EXPECT_EQ(remark_, "") << call;
  }
}

TEST_F(GpuTelemetryTest, EndsWhereTheDriverHangsAtTheEnd) {
  const auto series = collect_changed("temperature=40\nremapped=0 0 0 0\n",
                                      "temperature=40\nremapped=0 0 0 0\nhang=nvmlDeviceGetRemappedRows\n");
  EXPECT_THAT(values_of(series, "remap_failed"), ElementsAre(0));
  EXPECT_EQ(remark_, "");
}

TEST_F(GpuTelemetryTest, ReadsTheMemorysTemperatureInEveryTypeOfWholeNumber) {
  const auto read = [&](const std::string& scenario) {
    double celsius = 0;
    for (const auto& one : collect(nvml("temperature=40\n" + scenario), has_series))
      if (one.name == "memory_temperature_celsius") celsius = one.values.at(0);
    EXPECT_EQ(remark_, "");
    return celsius;
  };
  for (const char* type : {"1", "2", "3", "5"})
    EXPECT_EQ(read(fmt::format("memory_temperature=97\nmemory_temperature_type={}\n", type)), 97) << type;
  EXPECT_EQ(read("memory_temperature=97\nmemory_temperature_type=0\n"), 0) << "no whole number";
  EXPECT_EQ(read("memory_temperature=97\ncode.nvmlDeviceGetFieldValues=2\n"), 0) << "a driver without fields";
  EXPECT_EQ(read(""), 0) << "a GPU without the sensor";
}

TEST_F(GpuTelemetryTest, SaysThatAGpuWasLost) {
  const auto series =
      collect(nvml("power_mw=100000\ntemperature=40\ncode.nvmlDeviceGetTemperature=15"), has_failed);
  ASSERT_EQ(series.size(), 1U) << "a lost GPU tells nothing else";
  EXPECT_EQ(series[0].name, result::lost_series);
  EXPECT_THAT(remark_, HasSubstr("was lost meanwhile"));
  EXPECT_THAT(remark_, StartsWith("GPU-aa010203-"));
}

TEST_F(GpuTelemetryTest, SurvivesABrokenDriver) {
  collect(nvml("hang=nvmlInit\n"), has_failed, .3);
  EXPECT_THAT(remark_, HasSubstr("NVML gave no answer within 0.3 s"));
  collect(nvml("crash=nvmlInit\n"), has_ended);
  EXPECT_THAT(
      remark_,
      HasSubstr("was ended by signal 6 (SIGABRT). It said: fatal: the fake driver was told to crash"));
  collect(nvml("nvml_result=18\n"), has_failed);
  EXPECT_EQ(remark_, "No GPU telemetry: NVML cannot start: error 18 (a sentence of the fake NVML).");
  collect(nvml("nvml_devices=0\n"), has_failed);
  EXPECT_EQ(remark_, "No GPU telemetry: NVML shows no GPU.");
}

TEST_F(GpuTelemetryTest, SaysThatThereIsNoNvml) {
  collect(Command{GPUGAUGE_TELEMETRY_CHILD, {"0.05", "libno-such-library.so.1"}, {}}, has_failed);
  EXPECT_THAT(remark_, StartsWith("No GPU telemetry: libno-such-library.so.1 cannot be opened ("));
}

TEST_F(GpuTelemetryTest, CostsARunNothingButARemark) {
  // The family ends once the other is ended, which happens any time after its nonsense.
  auto plan = quick_plan({fakes_.family("fake", R"(leave; until [ -s ${0%/*}/pid ]; do sleep .01; done
while kill -0 $(cat ${0%/*}/pid) 2>/dev/null; do sleep .01; done)")});
  plan.gpu_telemetry = true;
  plan.telemetry_command = {
      fakes_.script("telemetry", "echo $$ >${0%/*}/pid; echo nonsense; exec sleep 100")};
  const auto run = execute(plan, [](const Progress&) {});
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.processes.at(0).status, result::Status::ok);
  EXPECT_THAT(remarks_of(run),
              ElementsAre("GPU telemetry was given up: its process answered what is no sample: nonsense"));
}

TEST_F(GpuTelemetryTest, StandsInTheRunBesideTheHost) {
  auto plan = quick_plan({fakes_.family("fake", "leave; while [ ! -e ${0%/*}/said ]; do sleep .01; done")});
  plan.gpu_telemetry = true;
  const std::string sample = "echo '{\"gpus\": [{\"uuid\": \"GPU-1\", \"power_watts\": 7}]}'\n";
  plan.telemetry_command = {fakes_.script("telemetry", sample + sample + ": > ${0%/*}/said; exec sleep 100")};
  const auto run = execute(plan, [](const Progress&) {});
  EXPECT_THAT(remarks_of(run), IsEmpty());
  ASSERT_EQ(run.telemetry.back().source, "gpu:GPU-1");
  EXPECT_GE(run.telemetry.back().values.size(), 2U);
  EXPECT_LE(run.telemetry.back().seconds.back(), run.wall_seconds);
}

}  // namespace
}  // namespace gpugauge::run
