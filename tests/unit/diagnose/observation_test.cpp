// Reading and writing an observation file.
#include "diagnose/observation.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "diagnose/vocabulary.hpp"
#include "result/error.hpp"

namespace gpugauge::diagnose {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string fault_of(const std::string& text) {
  try {
    parse_observation(text, "seen.json");
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(Observation, NeedsNoPartAtAll) {
  const Observation empty = parse_observation(R"({"log": []})", "seen.json");
  EXPECT_EQ(empty, Observation{});
  EXPECT_EQ(parse_observation(to_json(empty), "again"), empty);
}

TEST(Observation, KeepsTheDifferenceBetweenNothingKnownAndNothingChanged) {
  EXPECT_THROW(parse_observation("{}", "seen.json"), result::FormatError)
      << "no part, and no name of its kind";
  EXPECT_FALSE(parse_observation(R"({"log": []})", "").changed.has_value());
  const Observation known = parse_observation(R"({"changed": {}})", "");
  ASSERT_TRUE(known.changed.has_value());
  EXPECT_TRUE(known.changed->empty());
  EXPECT_THAT(to_json(known), HasSubstr("\"changed\": {}"));
}

TEST(Observation, ReadsEveryPart) {
  const Observation seen = parse_observation(R"({
    "schema": "gpugauge.observation/1",
    "about": {"source": "s", "gpu": "H100", "compute_capability": "9.0", "gpus": 8, "nodes": 2,
              "compared_with": "peers"},
    "changed": {"driver": ["535", null], "power_limit_w": [700, 500]},
    "metrics": [{"class": "gemm16", "factor": null, "spread": 0.1, "bimodal": true, "note": "n",
                 "scope": {"op": "o", "dtype": "bf16", "layout": "NHWC", "size": "small", "aligned": false,
                           "library": "l", "direction": "both", "gpu": "g", "node": "n", "framework": "f",
                           "phase": "warm", "path": "nvlink"}},
                {"class": "application", "value": 3.5, "unit": "TFLOP/s"}],
    "telemetry": {"sm_clock_mhz": 1155, "throttle_reasons": ["none"], "application_clock_is_default": true,
                  "pstate": "P2", "moved": {"power_w": "lower"}},
    "inventory": {"driver.version": "550", "framework.cuda": null, "gpu.mig": true, "host.shm_mib": 64,
                  "nccl.copies": ["a", "b"]},
    "environment": {"A": "1"},
    "settings": {"torch.allow_tf32": false, "any.name": "x"},
    "errors": [{"api": "cuda", "code": 802, "text": "t"}, {"code": "NAME"}],
    "log": ["l"], "kernels": ["k"], "sass": [{"instruction": "FFMA", "change": "absent"}],
    "numerics": {"op": "matmul", "relative_error": 1e-6, "tf32_switch_changes_result": false},
    "probes": [{"name": "autotune", "outcome": "recovers", "detail": "a=b"}]})",
                                             "seen.json");
  EXPECT_EQ(seen.about.nodes, 2);
  EXPECT_TRUE(seen.changed->at("driver").after.is_null());
  EXPECT_EQ(seen.changed->at("power_limit_w").after, Value(500.0));
  EXPECT_TRUE(seen.metrics.at(0).fails);
  EXPECT_EQ(seen.metrics.at(0).scope.aligned, false);
  EXPECT_FALSE(seen.metrics.at(1).fails);
  EXPECT_FALSE(seen.metrics.at(1).factor.has_value());
  EXPECT_EQ(seen.moved.at("power_w"), "lower");
  EXPECT_TRUE(seen.inventory.at("framework.cuda").is_null());
  EXPECT_EQ(seen.inventory.at("nccl.copies").items().size(), 2u);
  EXPECT_EQ(seen.errors.at(1).code.text(), "NAME");
  EXPECT_EQ(seen.numerics.at(0).tf32_switch_changes_result, false);
  EXPECT_EQ(parse_observation(to_json(seen), "again"), seen);
}

TEST(Observation, RefusesWhatTheFormatDoesNotHaveByNameAndPlace) {
  EXPECT_THAT(fault_of(R"({"metric": []})"), AllOf(HasSubstr("seen.json"), HasSubstr("'metric'")));
  EXPECT_THAT(fault_of(R"({"metrics": [{"class": "hbm"}, {"class": "hbm", "slow": 2}]})"),
              AllOf(HasSubstr("metrics[1]"), HasSubstr("'slow'")));
  EXPECT_THAT(fault_of(R"({"metrics": [{"class": "hbm", "scope": {"type": "x"}}]})"),
              AllOf(HasSubstr("metrics[0].scope"), HasSubstr("'type'")));
  EXPECT_THAT(fault_of(R"({"telemetry": {"sm_clock": 1}})"),
              AllOf(HasSubstr("telemetry"), HasSubstr("'sm_clock'")));
  EXPECT_THAT(fault_of(R"({"inventory": {"driver.verison": "1"}})"),
              AllOf(HasSubstr("inventory"), HasSubstr("'driver.verison'")));
  EXPECT_THAT(fault_of(R"({"about": {"model": "x"}})"), HasSubstr("about"));
  EXPECT_THAT(fault_of(R"({"probes": [{"name": "luck", "outcome": "recovers"}]})"),
              AllOf(HasSubstr("probes[0].name"), HasSubstr("'luck'"), HasSubstr("autotune")));
  EXPECT_THAT(fault_of(R"({"probes": [{"name": "autotune", "outcome": "helps"}]})"),
              HasSubstr("probes[0].outcome"));
  EXPECT_THAT(fault_of(R"({"metrics": [{"class": "gemm"}]})"), HasSubstr("metrics[0].class"));
  EXPECT_THAT(fault_of(R"({"errors": [{"api": "opencl"}]})"), HasSubstr("errors[0].api"));
  EXPECT_THAT(fault_of(R"({"telemetry": {"throttle_reasons": ["tired"]}})"), HasSubstr("throttle_reasons"));
}

TEST(Observation, RefusesWrongTypesAndNumbersOutOfRange) {
  EXPECT_THAT(fault_of(R"({"metrics": {"class": "hbm"}})"), HasSubstr("metrics"));
  EXPECT_THAT(fault_of(R"({"metrics": [{"class": "hbm", "factor": "2"}]})"), HasSubstr("metrics[0].factor"));
  EXPECT_THAT(fault_of(R"({"metrics": [{"class": "hbm", "factor": 0}]})"), HasSubstr("above 0"));
  EXPECT_THAT(fault_of(R"({"metrics": [{"class": "hbm", "factor": -1}]})"), HasSubstr("above 0"));
  EXPECT_NE(fault_of(R"({"metrics": [{"class": "hbm", "factor": NaN}]})"), "");
  EXPECT_NE(fault_of(R"({"metrics": [{"class": "hbm", "factor": 1e999}]})"), "");
  EXPECT_THAT(fault_of(R"({"telemetry": {"sm_clock_mhz": "fast"}})"), HasSubstr("telemetry.sm_clock_mhz"));
  EXPECT_THAT(fault_of(R"({"telemetry": {"oversubscribed": 1}})"), HasSubstr("telemetry.oversubscribed"));
  EXPECT_THAT(fault_of(R"({"inventory": {"gpu.mig": {"on": true}}})"), HasSubstr("inventory.gpu.mig"));
  EXPECT_THAT(fault_of(R"({"changed": {"driver": "535"}})"), HasSubstr("changed.driver"));
  EXPECT_THAT(fault_of(R"({"changed": {"driver": ["535"]}})"), HasSubstr("before and after"));
  EXPECT_THAT(fault_of(R"({"environment": {"A": [1]}})"), HasSubstr("environment.A"));
  EXPECT_THAT(fault_of(R"({"telemetry": {"memory_used_mib": "6 GB"}})"), HasSubstr("should be a number"));
  EXPECT_THAT(fault_of(R"({"telemetry": {"power_w": "nan"}})"), HasSubstr("should be a number"));
  EXPECT_THAT(fault_of(R"({"log": "text"})"), HasSubstr("log"));
  EXPECT_THAT(fault_of(R"({"about": {"gpus": -1}})"), HasSubstr("about.gpus"));
  EXPECT_THAT(fault_of(R"([])"), HasSubstr("object"));
  EXPECT_THAT(fault_of(""), HasSubstr("empty"));
  EXPECT_THAT(fault_of(R"({"schema": "gpugauge.observation/2"})"), HasSubstr("gpugauge.observation/1"));
}

TEST(Observation, TakesNumberOrTextWhereBothMeanTheSame) {
  const Observation seen = parse_observation(R"({"about": {"compute_capability": 9.0},
      "environment": {"NCCL_P2P_DISABLE": 1},
      "telemetry": {"pstate": 8, "sm_clock_mhz": "1410 MHz", "pcie_width": "x8", "pcie_generation": "Gen4",
                    "utilization_percent": "97 %", "oversubscribed": "yes", "throttle_reasons": "sw_power_cap"}})",
                                             "seen.json");
  EXPECT_EQ(seen.about.compute_capability, "9.0");
  EXPECT_EQ(seen.environment.at("NCCL_P2P_DISABLE"), "1");
  EXPECT_EQ(seen.telemetry.at("pstate"), Value("P8"));
  EXPECT_EQ(seen.telemetry.at("sm_clock_mhz"), Value(1410.0));
  EXPECT_EQ(seen.telemetry.at("pcie_width"), Value(8.0));
  EXPECT_EQ(seen.telemetry.at("pcie_generation"), Value(4.0));
  EXPECT_EQ(seen.telemetry.at("utilization_percent"), Value(97.0));
  EXPECT_EQ(seen.telemetry.at("oversubscribed"), Value(true));
  const std::string blanks(400000, ' ');
  EXPECT_EQ(parse_observation(R"({"telemetry": {"power_w": ")" + blanks + "7 W" + blanks + "\"}}", "blanks")
                .telemetry.at("power_w"),
            Value(7.0));
  EXPECT_EQ(seen.telemetry.at("throttle_reasons").items().size(), 1u);
  EXPECT_EQ(parse_observation(to_json(seen), "again"), seen);
}

TEST(Observation, ANullFactorFailsUnlessItIsSaidThatItRan) {
  const Observation seen = parse_observation(R"({"metrics": [
      {"class": "init", "factor": null}, {"class": "init", "factor": null, "note": "hangs, very slow before"},
      {"class": "application", "factor": null, "note": "extremely slow"},
      {"class": "application", "factor": null, "value": 45, "unit": "ms"}]})",
                                             "seen.json");
  EXPECT_TRUE(seen.metrics.at(0).fails);
  EXPECT_TRUE(seen.metrics.at(1).fails);
  EXPECT_FALSE(seen.metrics.at(2).fails);
  EXPECT_FALSE(seen.metrics.at(3).fails);
  EXPECT_EQ(parse_observation(to_json(seen), "again"), seen);
}

TEST(Observation, IsNeverWrittenWithANumberThatIsNotFinite) {
  Observation seen;
  Metric metric;
  metric.metric_class = "hbm";
  metric.factor = std::numeric_limits<double>::infinity();
  seen.metrics.push_back(metric);
  EXPECT_THROW(to_json(seen), std::invalid_argument);
  seen.metrics.clear();
  seen.telemetry["power_w"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(to_json(seen), std::invalid_argument);
}

TEST(Value, SaysOnAndOffInTheWordsOfMachines) {
  for (const Value& on :
       {Value(true), Value(1.0), Value("on"), Value("Enabled"), Value("nonzero"), Value("docker")})
    EXPECT_TRUE(on.on()) << on.text();
  for (const Value& off : {Value(), Value(false), Value(0.0), Value(""), Value("Off"), Value("disabled"),
                           Value("none"), Value(Value::List{})})
    EXPECT_TRUE(off.off()) << off.text();
}

TEST(Value, ReadsTheNumberThatATextBeginsWith) {
  EXPECT_EQ(Value("64 MiB").number(), 64);
  EXPECT_EQ(Value(2.5).number(), 2.5);
  EXPECT_FALSE(Value("about 3").number());
  EXPECT_FALSE(Value("0x10de").number());
  EXPECT_FALSE(Value("inf").number());
  EXPECT_FALSE(Value("").number());
  EXPECT_EQ(Value("-3 C").number(), -3);
  EXPECT_FALSE(Value(true).number());
}

}  // namespace
}  // namespace gpugauge::diagnose
