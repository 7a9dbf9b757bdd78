#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "report/digest.hpp"
#include "report/page_data.hpp"
#include "unit/result/example.hpp"

namespace gpugauge::report {
namespace {

using judge::ExitCode;
using judge::Verdict;
using judge::VerdictKind;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string hostile =
    "a\"b'c<img src=x onerror=alert(1)></script>]]>&amp;|`*_\n\r\x1b[31m\xe2\x80\xae%0A::error::x\xff";

Verdict verdict_on(const std::string& metric, VerdictKind kind, double change, bool advisory = false) {
  Verdict out;
  out.metric = metric;
  out.kind = kind;
  out.metric_class = "host_memory";
  out.unit = "byte/second";
  out.value = 1e10;
  out.baseline = 1.25e10;
  out.change = change;
  out.tolerance = .1;
  out.advisory = advisory;
  out.reason = "because of a test";
  return out;
}

Report whole_report() {
  Report report;
  report.stack = {{"GPU", "absent", "no NVIDIA device"}};
  DeviceReport device;
  device.label = "host, no GPU judged";
  device.selection = "host";
  device.rounds = {result::example_run()};
  device.baseline_origin = "No baseline.";
  device.seconds = 12.5;
  device.verdicts = {verdict_on("host/triad/one_core:bandwidth", VerdictKind::ok, .01),
                     verdict_on("host/triad/one_core:bandwidth_mean", VerdictKind::regressed, .25),
                     verdict_on("host/a:x", VerdictKind::inconclusive, .02),
                     verdict_on("host/b:x", VerdictKind::regressed, .3, true),
                     verdict_on("host/c:x", VerdictKind::missing, 0)};
  device.outcome = {ExitCode::regressed, "regressed: 1, missing: 1 of 5 metrics", true,
                    judge::VerdictKind::regressed};
  report.devices = {device};
  report.outcome = device.outcome;
  return report;
}

std::map<std::string, CaseState> states(const Report& report) {
  std::map<std::string, CaseState> out;
  for (const DigestPart& part : digest(&report).parts)
    for (const Case& one : part.cases) out[one.name] = one.state;
  return out;
}

pugi::xml_document parsed(const std::string& xml) {
  pugi::xml_document out;
  const auto result = out.load_string(xml.c_str());
  EXPECT_TRUE(result) << result.description();
  return out;
}

TEST(Reporters, EachKindOnceAndFound) {
  std::set<std::string_view> kinds;
  for (const Reporter& one : reporters()) {
    EXPECT_TRUE(kinds.insert(one.kind).second) << one.kind;
    EXPECT_EQ(find_reporter(one.kind), &one);
    const Report report = whole_report();
    EXPECT_FALSE(one.text(&report).empty()) << one.kind;
  }
  EXPECT_EQ(find_reporter("xml"), nullptr);
  EXPECT_THAT(reporter_kinds(),
              testing::ElementsAre("json", "junit", "markdown", "github", "openmetrics", "html"));
}

TEST(Reporters, NameTheNodeWhereTheFormatHasAPlaceForIt) {
  const std::map<std::string, std::string> places{
      {"json", "\"host\": \"node7\""},
      {"junit", " hostname=\"node7\""},
      {"markdown", "## GPUGauge check of node7: regressed"},
      {"github", "::notice title=GPUGauge check of node7::"},
      {"openmetrics", "\ngpugauge_host_info{report=\"check\",host=\"node7\"} 1\n"},
      {"html", "\"host\":\"node7\""}};
  Report report = whole_report();
  for (const Reporter& one : reporters()) {
    const std::string kind(one.kind);
    report.host = "node7";
    EXPECT_THAT(one.text(&report), HasSubstr(places.at(kind))) << kind;
    report.host = "";
    const std::string unknown = one.text(&report);
    for (const char* absent : {" hostname=", "check of", "gpugauge_host_info{"})
      EXPECT_THAT(unknown, Not(HasSubstr(absent))) << kind;
  }
}

TEST(Tame, KeepsOneLineOfWhatItIsGiven) {
  EXPECT_EQ(tame("a\nb\tc\x1b"), "a?b?c?");
  EXPECT_EQ(tame("x\xe2\x80\xaey\xd8\x9cz\xef\xbf\xbe"), "x?y?z?");
  EXPECT_EQ(tame("H\xc3\xa4lt"), "H\xc3\xa4lt");
  EXPECT_EQ(tame("0123456789abcdefghij", 15), "012345 ... ghij");
  EXPECT_EQ(tame("one two three four five", 16), "one two ... five") << "no two blanks";
  EXPECT_EQ(tame("A first one. A second one. A third one.", 34), "A first one. A second one. ...");
  EXPECT_EQ(tame("A. What follows has no end in the room", 24), "A. What foll ... he room");
  const std::string umlauts = tame(std::string(50, '\xc3'), 300);
  EXPECT_EQ(umlauts, std::string(50, '?'));
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "\xc3\xa4";
  const std::string cut = tame(many, 101);
  EXPECT_LE(cut.size(), 101U);
  EXPECT_EQ(tame(cut, 1000), cut) << "no sequence was cut in two";
}

TEST(Digest, MapsVerdictsAndNamesWhatWasNotMeasured) {
  const auto found = states(whole_report());
  EXPECT_EQ(found.at("host/triad/one_core:bandwidth"), CaseState::passed);
  EXPECT_EQ(found.at("host/triad/one_core:bandwidth_mean"), CaseState::failed);
  EXPECT_EQ(found.at("host/a:x"), CaseState::skipped);
  EXPECT_EQ(found.at("host/b:x"), CaseState::skipped);
  EXPECT_EQ(found.at("host/c:x"), CaseState::failed);
  EXPECT_EQ(found.at("gemm"), CaseState::error);
  EXPECT_EQ(found.at("host/triad/all_cores"), CaseState::skipped);
  EXPECT_EQ(found.count("verdict"), 0U);
}

TEST(Digest, ABadCaseStandsThereExactlyWhenTheOutcomeIsNotAPass) {
  for (const ExitCode code : {ExitCode::pass, ExitCode::regressed, ExitCode::error, ExitCode::cannot_judge,
                              ExitCode::inconclusive}) {
    Report report = whole_report();
    report.devices[0].verdicts = {verdict_on("host/a:x", VerdictKind::ok, 0)};
    report.devices[0].outcome = report.outcome = {code, "a sentence"};
    const auto found = states(report);
    const bool bad = std::any_of(found.begin(), found.end(),
                                 [](const auto& one) { return one.second <= CaseState::error; });
    EXPECT_EQ(bad, code != ExitCode::pass) << static_cast<int>(code);
  }
  Report nothing;
  nothing.outcome = {ExitCode::cannot_judge, "cannot judge: no usable GPU"};
  EXPECT_EQ(states(nothing).at("verdict"), CaseState::error);
  nothing.gpu_explanation = "The kernel module is not loaded.";
  EXPECT_EQ(states(nothing).at("usable GPU"), CaseState::error);
  // What the node has right is no answer to what was not judged.
  Report busy;
  busy.node = {verdict_on("node:gpus", VerdictKind::ok, 0)};
  busy.outcome = {ExitCode::cannot_judge, "cannot judge: another gpugauge measures it"};
  EXPECT_EQ(states(busy).at("verdict"), CaseState::error);
}

TEST(Digest, OfTwoJudgesTheGravestCounts) {
  Verdict physical = verdict_on("m:x", VerdictKind::failed, 0);
  physical.judge = judge::Judge::physical;
  const std::vector<Verdict> verdicts{verdict_on("m:x", VerdictKind::ok, 0), physical,
                                      verdict_on("m:x", VerdictKind::regressed, .5, true)};
  const auto kept = gravest_verdicts(verdicts);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0]->kind, VerdictKind::failed);
}

TEST(JUnit, CountsAgreeWithTheCases) {
  const Report report = whole_report();
  const auto document = parsed(junit_text(&report));
  const pugi::xml_node root = document.child("testsuites");
  int cases = 0, failures = 0, errors = 0, skipped = 0;
  for (const pugi::xml_node suite : root.children("testsuite")) {
    int here = 0;
    for (const pugi::xml_node one : suite.children("testcase")) {
      ++here;
      failures += one.child("failure") ? 1 : 0;
      errors += one.child("error") ? 1 : 0;
      skipped += one.child("skipped") ? 1 : 0;
    }
    EXPECT_EQ(suite.attribute("tests").as_int(), here);
    EXPECT_STREQ(suite.attribute("timestamp").value(), "2026-01-02T03:04:05");
    cases += here;
  }
  EXPECT_EQ(root.attribute("tests").as_int(), cases);
  EXPECT_EQ(root.attribute("failures").as_int(), failures);
  EXPECT_EQ(root.attribute("errors").as_int(), errors);
  EXPECT_EQ(cases, 7);
  EXPECT_EQ(failures, 2);
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(skipped, 3);
  EXPECT_STREQ(document.select_node("//property[@name='stack.GPU']").node().attribute("value").value(),
               "absent");
  EXPECT_STREQ(
      document.select_node("//testcase[@name='host/a:x']/skipped").node().attribute("message").value(),
      "because of a test");
}

TEST(JUnit, ForeignTextStaysText) {
  Report report = whole_report();
  report.devices[0].verdicts[1].metric = hostile;
  report.devices[0].verdicts[1].reason = hostile;
  report.devices[0].label = report.host = hostile;
  const auto document = parsed(junit_text(&report));
  const pugi::xml_node failure = document.select_node("//failure[@type='regressed']").node();
  EXPECT_THAT(failure.attribute("message").value(),
              HasSubstr("<img src=x onerror=alert(1)></script>]]>&amp;"));
  EXPECT_FALSE(document.select_node("//img"));
}

TEST(Annotations, AreEscapedAsTheRunnerReadsThem) {
  Report report = whole_report();
  report.devices[0].rounds.clear();
  report.devices[0].verdicts = {verdict_on("x:y,100%", VerdictKind::regressed, .25)};
  report.devices[0].verdicts[0].reason = "a 5% drop: here\n::error::no";
  report.outcome.sentence = "regressed: 1, of 1";
  EXPECT_EQ(annotations_text(&report),
            "::error title=regressed%3A x%3Ay%2C100%25::a 5%25 drop: here?::error::no\n"
            "::notice title=GPUGauge check::regressed: 1, of 1\n");
}

TEST(Annotations, TheWorstTenAndHowManyThereAre) {
  Report report = whole_report();
  report.devices[0].rounds.clear();
  report.devices[0].verdicts.clear();
  for (int i = 0; i < 15; ++i)
    report.devices[0].verdicts.push_back(
        verdict_on("m" + std::to_string(i) + ":x",
                   i < 14 ? VerdictKind::regressed : VerdictKind::inconclusive, .01 * i));
  const std::string text = annotations_text(&report);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
  EXPECT_THAT(text, StartsWith("::error title=regressed%3A m13%3Ax::"));
  EXPECT_THAT(text, HasSubstr("the worst 10 of 15 are annotated"));
  EXPECT_THAT(text, Not(HasSubstr("m3%3A")));
}

TEST(Markdown, TheVerdictComesFirstAndNothingForeignIsMarkup) {
  Report report = whole_report();
  report.devices[0].verdicts[1].metric = "evil|`x`<b>@team #1 https://x www.y [a](b)";
  const std::string text = markdown_text(&report);
  EXPECT_THAT(text,
              StartsWith("## GPUGauge check: regressed\n\n**regressed: 1, missing: 1 of 5 metrics**\n"));
  EXPECT_THAT(text, HasSubstr(R"(| evil\|\`x\`&lt;b\>\@team \#1 https\://x www\.y \[a\]\(b\) |)"));
  EXPECT_THAT(text, HasSubstr("| GPU | absent |"));
}

TEST(Markdown, SaysThatNoCauseCanBeNamed) {
  Report report = whole_report();
  report.devices[0].diagnosis = diagnose::diagnose(diagnose::parse_observation(
      R"({"metrics": [{"class": "hbm", "factor": 1.012, "judged": "slower"}]})", "test"));
  EXPECT_THAT(markdown_text(&report), HasSubstr("what was seen names no cause"));
}

TEST(Markdown, StaysBelowWhatGitHubTakes) {
  Report report = whole_report();
  DeviceReport device = report.devices[0];
  for (int i = 0; i < 60; ++i) {
    device.verdicts.push_back(
        verdict_on(std::string(10000, 'x') + std::to_string(i), VerdictKind::regressed, .2));
    device.remarks.push_back(std::string(10000, '|'));
  }
  while (report.devices.size() < 24) report.devices.push_back(device);
  const std::string text = markdown_text(&report);
  EXPECT_LT(text.size(), 1048576U);
  EXPECT_GT(text.size(), 500000U);
  EXPECT_THAT(text, HasSubstr("Cut at 1 MB"));
}

TEST(OpenMetrics, EverySampleIsWellFormedAndStandsOnce) {
  Report report = whole_report();
  report.devices[0].verdicts[1].metric = hostile;
  const std::string text = openmetrics_text(&report);
  const std::regex sample(
      R"re(gpugauge_[a-z_]+(\{[a-z]+="([^"\\]|\\["\\n])*"(,[a-z]+="([^"\\]|\\["\\n])*")*\})? -?[0-9.e+-]+)re");
  const std::regex comment("# (HELP|TYPE|UNIT) gpugauge_[a-z_]+ [^\"\\\\]+");
  std::istringstream lines(text);
  std::set<std::string> series;
  std::string line, last;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(std::regex_match(line, sample) || std::regex_match(line, comment) || line == "# EOF") << line;
    if (line[0] != '#') {
      EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
    }
    last = line;
  }
  EXPECT_EQ(last, "# EOF");
  EXPECT_THAT(text, HasSubstr("gpugauge_exit_code{report=\"check\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("gpugauge_metric_bytes_per_second{report=\"check\",device=\"host\",metric="
                              "\"host/triad/one_core:bandwidth\","
                              "class=\"host_memory\"} 10000000000\n"));
  EXPECT_THAT(text,
              HasSubstr("gpugauge_measured_time_seconds{report=\"check\",device=\"host\"} 1767323045\n"));
}

TEST(OpenMetrics, ValueChangeAndShareAreOfTheSameRounds) {
  Report report = whole_report();
  DeviceReport& device = report.devices[0];
  device.rounds.resize(3, device.rounds[0]);
  device.rounds[1].processes.clear();
  device.verdicts[0] = verdict_on("host/triad/one_core:bandwidth", VerdictKind::regressed, .2);
  const std::string labels =
      "{report=\"check\",device=\"host\",metric=\"host/triad/one_core:bandwidth\",class=\"host_memory\"} ";
  const std::string text = openmetrics_text(&report);
  EXPECT_THAT(text, HasSubstr("gpugauge_metric_bytes_per_second" + labels + "10000000000\n"));
  EXPECT_THAT(text, HasSubstr("gpugauge_metric_change_ratio" + labels + "0.2\n"));
  EXPECT_THAT(text, HasSubstr("gpugauge_metric_limit_share_ratio" + labels + "0.5\n"));
}

TEST(Markdown, ARowIsOfOneVerdictWhateverTheFirstRoundSaw) {
  Report report = whole_report();
  DeviceReport& device = report.devices[0];
  device.rounds.resize(3, device.rounds[0]);
  EXPECT_THAT(
      markdown_text(&report),
      HasSubstr("| regressed | host/triad/one\\_core:bandwidth\\_mean | 10.0 GB/s | 12.5 GB/s | \\+25.0% |"));
}

TEST(Html, ARowIsOfTheRoundsThatTheVerdictRestsOn) {
  Report report = whole_report();
  DeviceReport& device = report.devices[0];
  device.rounds.resize(3, device.rounds[0]);
  device.rounds[0].processes.clear();  // the first round lacks it
  const auto page = page_data(report);
  int rows = 0;
  for (const auto& row : page["devices"][0]["metrics"]) {
    if (row["key"] != "host/triad/one_core:bandwidth") continue;
    ++rows;
    EXPECT_EQ(row["value"], row["verdicts"][0]["value"]);
    EXPECT_EQ(row["share"], .5);
    EXPECT_EQ(row["now"].size(), 2U);
    EXPECT_EQ(row["batches"].size(), 1U);
  }
  EXPECT_EQ(rows, 1);
}

TEST(Html, TheDataHoldsNothingThatAParserOfHtmlSees) {
  Report report = whole_report();
  report.devices[0].label = report.host = hostile;
  report.devices[0].remarks = {"<!--", "</script ", std::string(10000, '<')};
  const std::string text = html_text(&report);
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = text.find(open) + open.size();
  const std::string data = text.substr(begin, text.find("</script>", begin) - begin);
  EXPECT_THAT(data, Not(HasSubstr("<")));
  const auto json = nlohmann::json::parse(data);
  EXPECT_EQ(json["devices"][0]["remarks"][1], "<!--");
  EXPECT_EQ(json["devices"][0]["remarks"][2], "</script ");
  // The scripts of our own must not end their element either: one end each, of the data and of the script.
  std::size_t ends = 0;
  for (std::size_t at = text.find("</script"); at != std::string::npos; at = text.find("</script", at + 1))
    ++ends;
  EXPECT_EQ(ends, 2U);
  EXPECT_THAT(text, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(text, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(text, Not(testing::ContainsRegex("(src|href)=\"?https?:")));
}

TEST(Html, ShowsSamplesInTheMetricsUnitAndTheTrend) {
  Report report = whole_report();
  report.devices[0].reference = {result::example_run()};
  report.devices[0].trends = {
      {"host/triad/one_core:bandwidth", {{"2026-01-01T00:00:00Z", 1.2e10, "driver 1 -> 2"}}}};
  const auto data = page_data(report);
  const auto& metrics = data["devices"][0]["metrics"];
  const auto row = std::find_if(metrics.begin(), metrics.end(), [](const auto& one) {
    return one["key"] == "host/triad/one_core:bandwidth";
  });
  ASSERT_NE(row, metrics.end());
  // Two batches of 1 and 1.1 ms, of which 1.25e10 byte/second is the median: faster and slower in proportion.
  EXPECT_EQ((*row)["batches"], nlohmann::ordered_json::parse("[[13125000000.0, 11931800000.0]]"));
  EXPECT_EQ((*row)["then"], nlohmann::ordered_json::parse("[[12500000000.0]]"));
  EXPECT_EQ((*row)["trend"][0][2], "driver 1 -> 2");
  EXPECT_DOUBLE_EQ(six_digits(1234567.89), 1234570);
}

}  // namespace
}  // namespace gpugauge::report
