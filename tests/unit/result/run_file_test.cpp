#include "result/run_file.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "example.hpp"
#include "result/error.hpp"

namespace gpugauge::result {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The sentence with which a text is refused, "" if it is accepted.
std::string refusal(const std::string& text) {
  try {
    parse_run(text, "x.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

/// The sentence with which the example run is refused after a change.
std::string refusal_after(const std::function<void(json&)>& change) {
  json value = json::parse(to_json(example_run()));
  change(value);
  return refusal(value.dump());
}

TEST(RunFile, ReadsBackWhatItWrote) {
  EXPECT_EQ(parse_run(to_json(example_run()), "x.json"), example_run());
}

TEST(RunFile, ReadsBackAPartialRun) {
  result::Run run = example_run();
  run.complete = false;
  run.partial_reason = "interrupted by SIGINT";
  EXPECT_EQ(parse_run(to_json(run), "x.json"), run);
}

TEST(RunFile, WritesNoValueThatIsNotFinite) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    result::Run run = example_run();
    run.processes[0].samples->benchmarks[0].metrics[0].value = bad;
    EXPECT_THROW(to_json(run), std::invalid_argument);
    run = example_run();
    run.telemetry[0].values[0] = bad;
    EXPECT_THROW(to_json(run), std::invalid_argument);
    run = example_run();
    run.processes[0].samples->benchmarks[0].batches.seconds_per_operation[1] = bad;
    EXPECT_THROW(to_json(run), std::invalid_argument);
  }
}

TEST(RunFile, RepairsInvalidUtf8InForeignText) {
  result::Run run = example_run();
  run.processes[0].output = "bad \xff byte";
  EXPECT_NO_THROW(parse_run(to_json(run), "x.json"));
}

TEST(RunFile, NamesATruncatedFileAtEveryLength) {
  const std::string text = to_json(example_run());
  for (std::size_t length = 1; length + 2 < text.size(); length += 97)
    EXPECT_THAT(refusal(text.substr(0, length)), HasSubstr("x.json: ")) << length;
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2)), HasSubstr("truncated"));
}

TEST(RunFile, NamesAnEmptyFile) {
  EXPECT_THAT(refusal(""), HasSubstr("x.json: the file is empty"));
  EXPECT_THAT(refusal(" \n"), HasSubstr("empty"));
}

TEST(RunFile, RefusesATimeThatIsNone) {
  const auto refusal_of = [](const char* time) {
    return refusal_after([&](json& run) { run["started"] = time; });
  };
  EXPECT_EQ(refusal_of("yesterday"),
            "x.json: it started at 'yesterday', which is no UTC time of RFC 3339, such as "
            "2025-01-31T12:00:00.123Z");
  for (const char* time :
       {"", "2026-02-31T01:02:03Z", "2026-2-31T1:2:3Z", "9-1-1T1:1:1", "2026-11-21T02:00:00",
        "2026-11-21T02:00:00.123+01:00", "2026-11-21 02:00:00Z", "2026-11-21T02:00:00z"})
    EXPECT_NE(refusal_of(time), "") << time;
  EXPECT_EQ(refusal_of("2026-11-21T02:00:00Z"), "");
}

TEST(RunFile, RefusesWhatItDoesNotUnderstandByNameAndPlace) {
  EXPECT_THAT(refusal_after([](json& run) { run["colour"] = 1; }),
              HasSubstr("the key 'colour' is not part of this format"));
  EXPECT_THAT(refusal_after(
                  [](json& run) { run["processes"][0]["samples"]["benchmarks"][0]["metrics"][1]["x"] = 1; }),
              HasSubstr("processes[0].samples.benchmarks[0].metrics[1]: the key 'x'"));
  EXPECT_THAT(refusal_after([](json& run) { run.erase("seed"); }), HasSubstr("the key 'seed' is missing"));
  EXPECT_THAT(refusal_after([](json& run) { run["schema"] = "gpugauge.run/2"; }),
              HasSubstr("is of schema 'gpugauge.run/2'; this version of gpugauge reads gpugauge.run/1"));
  EXPECT_THAT(refusal_after([](json& run) { run["schema"] = "something"; }),
              HasSubstr("gpugauge.run/1 is expected"));
  EXPECT_THAT(refusal_after([](json& run) { run["processes"][0]["status"] = "fine"; }),
              HasSubstr("processes[0].status: 'fine' is no status"));
  EXPECT_THAT(refusal_after([](json& run) {
                run["processes"][0]["samples"]["benchmarks"][0]["metrics"][0]["unit"] = "GB/s";
              }),
              HasSubstr("'GB/s' is no unit"));
  EXPECT_THAT(refusal_after([](json& run) {
                run["processes"][0]["samples"]["benchmarks"][0]["metrics"][0]["class"] = "x";
              }),
              HasSubstr("'x' is no class"));
}

TEST(RunFile, RefusesWrongTypes) {
  EXPECT_THAT(refusal_after([](json& run) { run["processes"] = "many"; }),
              HasSubstr("processes: should be an array and is text"));
  EXPECT_THAT(refusal_after([](json& run) { run["seed"] = -1; }),
              HasSubstr("seed: should be a whole number, 0 or more"));
  EXPECT_THAT(refusal_after([](json& run) { run["round"] = 1e30; }),
              HasSubstr("round: should be a whole number"));
  EXPECT_THAT(refusal_after([](json& run) { run["wall_seconds"] = nullptr; }),
              HasSubstr("wall_seconds: should be a number and is null"));
  EXPECT_THAT(refusal_after([](json& run) { run["fingerprint"]["device"]["a"] = 1; }),
              HasSubstr("fingerprint.device.a: should be text"));
  EXPECT_THAT(refusal("[]"), HasSubstr("should be an object and is an array"));
}

TEST(RunFile, RefusesHostileJson) {
  EXPECT_THAT(refusal(R"({"schema": "gpugauge.run/1", "schema": "x"})"), HasSubstr("stands twice"));
  EXPECT_THAT(refusal(R"({"schema": NaN})"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(R"({"wall_seconds": 1e999})"), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(std::string(2'000'000, '[')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(refusal(std::string(200'000, '[') + std::string(200'000, ']')),
              HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(refusal("[]"), HasSubstr("should be an object"));
  EXPECT_THAT(refusal("{\"\x01\xff\": 1}"), HasSubstr("not JSON"));
  const std::string sentence =
      refusal_after([](json& run) { run["evil\n\x1b[31m" + std::string(500, 'x')] = 1; });
  EXPECT_THAT(sentence, HasSubstr("is not part of this format"));
  EXPECT_EQ(sentence.find_first_of("\n\x1b"), std::string::npos);
  EXPECT_LT(sentence.size(), 200U);
}

TEST(RunFile, RefusesValuesThatNothingOfAMachineHas) {
  const auto after = [](const char* place, double value) {
    return refusal_after([&](json& run) { run[json::json_pointer(std::string("/") + place)] = value; });
  };
  const std::string benchmark = "processes/0/samples/benchmarks/0/";
  EXPECT_THAT(
      after((benchmark + "metrics/0/value").c_str(), 1e308),
      HasSubstr("host/triad/one_core:bandwidth: value is 1e+308, and nothing of a machine is above 1e+30"));
  EXPECT_THAT(after((benchmark + "metrics/0/value").c_str(), 1e-40), HasSubstr("below 1e-30"));
  EXPECT_THAT(after((benchmark + "metrics/1/value").c_str(), -1e31), HasSubstr("value is -1e+31"));
  EXPECT_EQ(after((benchmark + "metrics/1/value").c_str(), -1e-40), "") << "it is not judged";
  for (const char* place :
       {"metrics/0/limit/value", "metrics/0/resolution", "work/flops", "batches/window_seconds",
        "batches/seconds_per_operation/0", "batches/cpu_seconds_per_operation/0"})
    EXPECT_THAT(after((benchmark + place).c_str(), 1e200), HasSubstr("1e+200")) << place;
  for (const char* place : {"wall_seconds", "processes/0/wall_seconds", "processes/0/host/cpu_seconds",
                            "telemetry/0/values/0", "telemetry/0/seconds/1"})
    EXPECT_THAT(after(place, 1e200), HasSubstr("is 1e+200, and nothing of a machine is above 1e+30"))
        << place;
  EXPECT_EQ(after((benchmark + "verifications/0/error").c_str(), 3e38), "") << "a wrong result has any size";
}

TEST(RunFile, RefusesATimelineThatGoesBackOrHasHalfOfItsWindow) {
  const auto after = [](const std::function<void(json&)>& change) {
    return refusal_after(
        [&](json& run) { change(run["processes"][0]["samples"]["benchmarks"][0]["timeline"]); });
  };
  EXPECT_EQ(after([](json& timeline) { timeline = {{"began", 1}, {"ended", 1}}; }), "");
  EXPECT_THAT(after([](json& timeline) { timeline["began"] = -1; }), HasSubstr("began is below 0"));
  EXPECT_THAT(after([](json& timeline) { timeline["began"] = 0.75; }),
              HasSubstr("host/triad/one_core: timeline's warming comes before what it follows"));
  EXPECT_THAT(after([](json& timeline) { timeline["timed"] = 0.4; }), HasSubstr("timed comes before"));
  EXPECT_THAT(after([](json& timeline) { timeline["ended"] = 1; }), HasSubstr("ended comes before"));
  EXPECT_THAT(after([](json& timeline) { timeline["ended"] = 1e200; }), HasSubstr("1e+200"));
  EXPECT_THAT(after([](json& timeline) { timeline.erase("timed"); }),
              HasSubstr("only one of warming and timed"));
  EXPECT_THAT(after([](json& timeline) { timeline.erase("ended"); }), HasSubstr("ended"));
  EXPECT_THAT(after([](json& timeline) { timeline["paused"] = 1; }), HasSubstr("is not part of this format"));
}

TEST(RunFile, RefusesAmountsBelowNothing) {
  const std::string benchmark = "processes/0/samples/benchmarks/0/";
  const std::vector<std::string> places = {"wall_seconds",
                                           "processes/0/wall_seconds",
                                           "processes/0/start_seconds",
                                           "processes/0/expected_seconds",
                                           "processes/0/host/cpu_seconds",
                                           benchmark + "batches/window_seconds",
                                           benchmark + "batches/cpu_seconds",
                                           benchmark + "work/bytes"};
  for (const std::string& place : places)
    EXPECT_THAT(refusal_after([&](json& run) { run[json::json_pointer("/" + place)] = -1; }),
                HasSubstr("is below 0"))
        << place;
}

TEST(RunFile, RefusesContradictions) {
  EXPECT_THAT(refusal_after([](json& run) { run["processes"][0]["samples"]["family"] = "gemm"; }),
              HasSubstr("gemm"));
  EXPECT_THAT(refusal_after([](json& run) { run["complete"] = false; }), HasSubstr("partial"));
  EXPECT_THAT(refusal_after([](json& run) { run["telemetry"][0]["values"].push_back(1); }),
              HasSubstr("2 times for 3 values"));
  EXPECT_THAT(refusal_after([](json& run) {
                run["telemetry"][0]["seconds"] = json::array({1});
                run["telemetry"][0]["values"].push_back(1);
              }),
              HasSubstr("1 time for 3 values"));
  EXPECT_THAT(refusal_after([](json& run) {
                run["processes"][0]["samples"]["benchmarks"][0]["batches"]["cpu_seconds_per_operation"] =
                    json::array({1});
              }),
              HasSubstr("has 1 entry for "));
  EXPECT_THAT(refusal_after([](json& run) { run["processes"].push_back(run["processes"][1]); }),
              HasSubstr("x.json: gemm process 1: stands twice"));
  EXPECT_THAT(refusal_after([](json& run) {
                auto& benchmarks = run["processes"][0]["samples"]["benchmarks"];
                benchmarks.push_back(benchmarks[0]);
              }),
              HasSubstr("stands twice"));
  EXPECT_THAT(refusal_after([](json& run) {
                run["processes"][0]["samples"]["benchmarks"][0]["verifications"][0]["passed"] = false;
              }),
              HasSubstr("is ok although a verification failed"));
  EXPECT_THAT(refusal_after([](json& run) { run["processes"][0]["exit_code"] = 139; }),
              HasSubstr("x.json: host process 0: is ok although it ended with exit code 139"));
  EXPECT_THAT(refusal_after([](json& run) { run["processes"][0]["signal"] = 11; }),
              HasSubstr("x.json: host process 0: is ok although signal 11 ended it"));
  EXPECT_THAT(refusal_after([](json& run) { run["partial_reason"] = "SIGINT stopped the run"; }),
              HasSubstr("x.json: the run is complete and says why it is partial"));
  EXPECT_THAT(refusal_after([](json& run) { run["processes"][1]["status"] = "interrupted"; }),
              HasSubstr("x.json: gemm process 1: was interrupted although the run is complete"));
}

}  // namespace
}  // namespace gpugauge::result
