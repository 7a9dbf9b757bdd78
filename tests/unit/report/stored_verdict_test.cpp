#include "report/stored_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/status.hpp"
#include "result/error.hpp"

namespace gpugauge::report {
namespace {

using judge::ExitCode;
using judge::VerdictKind;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

judge::Verdict verdict(const std::string& metric, VerdictKind kind, std::optional<double> change,
                       bool advisory) {
  judge::Verdict out;
  out.metric = metric;
  out.kind = kind;
  out.change = change;
  out.advisory = advisory;
  out.unit = "second";
  out.reason = "of a test";
  return out;
}

DeviceReport device() {
  DeviceReport out;
  out.selection = "GPU-1";
  out.label = "GPU 0 NVIDIA H200 (GPU-1)";
  out.outcome = {ExitCode::regressed, "regressed: 2 of 9 metrics (b, c)", true, VerdictKind::regressed};
  out.verdicts = {verdict("a", VerdictKind::ok, .001, false),
                  verdict("b", VerdictKind::regressed, .05, false),
                  verdict("c", VerdictKind::regressed, .25, false),
                  verdict("d", VerdictKind::inconclusive, .5, false),
                  verdict("e", VerdictKind::regressed, .9, true),
                  verdict("f", VerdictKind::missing, std::nullopt, false),
                  verdict("g", VerdictKind::inconclusive, .01, false),
                  verdict("h", VerdictKind::new_metric, std::nullopt, false)};
  result::Run run;
  run.boot_id = "boot";
  run.started = "2026-01-01T00:00:00Z";
  run.profile = "standard";
  run.fingerprint.stack = {{"driver.version", "580.65.06"}};
  out.rounds = {run};
  out.files = {"state/runs/1.json"};
  out.diagnosis.emplace();
  out.diagnosis->findings.push_back(
      {"hbm_thermal", .82, .8, .02, {}, {}, {"nvidia-smi -q -d TEMPERATURE"}, {}, ""});
  return out;
}

TEST(StoredVerdict, APassThatDecidedNothingIsStoredAsAPass) {
  DeviceReport undecided = device();
  undecided.outcome = {ExitCode::pass, "pass, but nothing could be decided: 0 of 9 metrics", false};
  EXPECT_EQ(stored_verdict(undecided).word, "pass") << "docs/schema/verdict.schema.json has no other word";
}

TEST(StoredVerdict, KeepsTheWorstFirstAndSurvivesItsFile) {
  judge::StoredVerdict made = stored_verdict(device());
  std::vector<std::string> names;
  for (const judge::StoredMetric& metric : made.worst) names.push_back(metric.metric);
  EXPECT_EQ(names, (std::vector<std::string>{"f", "c", "b", "d", "g"}));
  EXPECT_EQ(made.counts, (std::map<std::string, int>{
                             {"ok", 1}, {"regressed", 3}, {"inconclusive", 2}, {"missing", 1}, {"new", 1}}));
  EXPECT_EQ(made.word, "regressed");
  made.index = 3;
  made.gpus = {{"0000:01:00.0", "GPU-1", "NVIDIA H200"}};
  made.narrowed = {"hbm"};
  const judge::StoredVerdict read = parse_stored_verdict(to_json(made), "x.json");
  EXPECT_EQ(to_json(read), to_json(made));
  EXPECT_EQ(read.worst, made.worst);
  EXPECT_EQ(read.gpus, made.gpus);
  EXPECT_EQ(read.index, 3);
  EXPECT_EQ(read.stack, made.stack);
}

TEST(StoredVerdict, RefusesWhatIsNone) {
  const std::string text = to_json(stored_verdict(device()));
  EXPECT_THROW(parse_stored_verdict(text.substr(0, text.size() / 2), "x.json"), result::FormatError);
  std::string wrong = text;
  wrong.replace(wrong.find("\"exit_code\": 1"), 14, "\"exit_code\": 9");
  EXPECT_THROW(parse_stored_verdict(wrong, "x.json"), result::FormatError);
  wrong = text;
  wrong.replace(wrong.find("gpugauge.verdict/1"), 18, "gpugauge.verdict/2");
  EXPECT_THROW(parse_stored_verdict(wrong, "x.json"), result::FormatError);
  for (const std::string count : {"\"ok\": 1e300", "\"ok\": 1.5", "\"ok\": 4294967296"}) {
    wrong = text;
    wrong.replace(wrong.find("\"ok\": 1"), 7, count);
    EXPECT_THROW(parse_stored_verdict(wrong, "x.json"), result::FormatError) << count;
  }
}

judge::Status status_of(const DeviceReport& made) {
  judge::Status out;
  judge::Standing one;
  one.stored = stored_verdict(made);
  one.device = made.selection;
  one.label = made.label;
  one.code = made.outcome.code;
  one.word = one.stored->word;
  one.reason = made.outcome.sentence;
  one.age_seconds = 3 * 3600;
  out.devices = {one};
  out.outcome = {one.code, one.label + ": " + one.reason};
  return out;
}

TEST(StatusText, OneLineADevice) {
  const std::string line = draw(status_of(device()), judge::ExitStyle::ci, {});
  EXPECT_EQ(
      line,
      "GPU 0 NVIDIA H200 (GPU-1): regressed, 3 h 0 min ago, hbm_thermal (0.82): regressed: 2 of 9 metrics "
      "(b, c)\n");
  DeviceReport good = device();
  good.outcome = {ExitCode::pass, "pass: 9 of 9 metrics within tolerance and limits"};
  good.diagnosis.reset();
  EXPECT_THAT(draw(status_of(good), judge::ExitStyle::slurm, {}),
              HasSubstr(": pass, 3 h 0 min ago: 9 of 9 metrics within tolerance and limits\n"));
}

TEST(StatusText, MonitorsGetTheirs) {
  EXPECT_THAT(draw(status_of(device()), judge::ExitStyle::nagios, {}),
              StartsWith("GPUGAUGE CRITICAL - GPU 0"));
  EXPECT_EQ(draw(status_of(device()), judge::ExitStyle::npd, {}), "GPU-1: regressed: hbm_thermal (0.82)\n");
  DeviceReport loud = device();
  loud.diagnosis.reset();
  loud.outcome.sentence = "regressed: " + std::string(200, 'x') + "\x1b[31m\nsecond line";
  const std::string line = draw(status_of(loud), judge::ExitStyle::npd, {});
  EXPECT_LE(line.size(), 81U);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(draw(status_of(loud), judge::ExitStyle::ci, {}), Not(HasSubstr("\x1b")));
}

TEST(StatusText, IsCutBetweenCharactersAndHoldsNoPerformanceData) {
  for (std::size_t before = 0; before < 4; ++before) {
    DeviceReport foreign = device();
    foreign.diagnosis.reset();
    foreign.outcome.sentence = "regressed: " + std::string(before, 'x');
    for (int i = 0; i < 40; ++i) foreign.outcome.sentence += "\xe2\x82\xac";
    const std::string line = draw(status_of(foreign), judge::ExitStyle::npd, {});
    EXPECT_LE(line.size(), 81U);
    EXPECT_EQ(line.substr(line.size() - 7), "\xe2\x82\xac...\n") << line;
  }
  DeviceReport barred = device();
  barred.outcome.sentence = "regressed: a|b";
  barred.label = "GPU 0 |x";
  EXPECT_THAT(draw(status_of(barred), judge::ExitStyle::nagios, {}), Not(HasSubstr("|")));
  EXPECT_THAT(draw(status_of(barred), judge::ExitStyle::ci, {}), HasSubstr("a|b"));
}

}  // namespace
}  // namespace gpugauge::report
