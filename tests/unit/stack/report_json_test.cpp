#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "result/error.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::stack {
namespace {

GpuReport full() {
  GpuReport report;
  report.state = GpuState::driver_too_old;
  report.gpus = {{0, "GPU-1", "NVIDIA \"A\"", "0000:01:00.0", "9.0", {{"ecc", "on"}}, {{"brand", "Tesla"}}},
                 {1, "MIG-2", "B", "", "8.0", {}, {}}};
  report.driver_version = "535.104.05";
  report.driver_cuda_version = "12.2";
  report.explanation = "One paragraph.";
  report.nvidia_hardware = true;
  report.code = 35;
  report.kernel_module_version = "535.104.05";
  report.kernel_module_kind = "open";
  report.libcuda_path = "/usr/lib/libcuda.so.535.104.05";
  report.libcuda_version = "535.104.05";
  return report;
}

std::string fault(const std::string& text) {
  try {
    gpu_report_from_json(text);
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReportJson, ComesBackAsItWent) {
  EXPECT_EQ(gpu_report_from_json(to_json(full())), full());
  EXPECT_EQ(gpu_report_from_json(to_json(GpuReport{})), GpuReport{});
}

TEST(ReportJson, IsOneLine) {
  EXPECT_EQ(to_json(full()).find('\n'), std::string::npos);
}

TEST(ReportJson, EveryStateHasItsWord) {
  for (const GpuState state :
       {GpuState::usable, GpuState::no_hardware, GpuState::no_driver, GpuState::no_library,
        GpuState::driver_too_old, GpuState::no_device, GpuState::error}) {
    GpuReport report;
    report.state = state;
    EXPECT_EQ(gpu_report_from_json(to_json(report)).state, state);
  }
}

TEST(ReportJson, ANumberThatDoesNotFitIsRefused) {
  std::string text = to_json(full());
  text.replace(text.find("\"code\":35"), 9, "\"code\":4294967331");
  EXPECT_EQ(fault(text), "the answer of the GPU probe: code: is out of range");
}

TEST(ReportJson, BytesThatAreNoTextDoNotBreakIt) {
  GpuReport report;
  report.libcuda_path = "/lib/\xff\xfe";
  EXPECT_NO_THROW(gpu_report_from_json(to_json(report)));
}

TEST(ReportJson, RefusesWhatItDoesNotUnderstand) {
  const auto changed = [](auto&& change) {
    nlohmann::json json = nlohmann::json::parse(to_json(full()));
    change(json);
    return fault(json.dump());
  };
  EXPECT_THAT(changed([](auto& json) { json["state"] = "fine"; }),
              testing::HasSubstr("\"fine\" is not a state"));
  EXPECT_THAT(changed([](auto& json) { json["extra"] = 1; }), testing::HasSubstr("extra"));
  EXPECT_THAT(changed([](auto& json) { json.erase("code"); }), testing::HasSubstr("code"));
  EXPECT_THAT(changed([](auto& json) { json["gpus"][1]["index"] = "one"; }), testing::HasSubstr("gpus[1]"));
  EXPECT_THAT(changed([](auto& json) { json["gpus"][0]["settings"]["ecc"] = 1; }),
              testing::HasSubstr("gpus[0]"));
  EXPECT_NE(fault(""), "accepted");
  EXPECT_NE(fault("[]"), "accepted");
  EXPECT_NE(fault(to_json(full()).substr(0, 60)), "accepted");
}

}  // namespace
}  // namespace gpugauge::stack
