#include "support/options.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "result/error.hpp"
#include "result/temporary_directory.hpp"
#include "support/trial.hpp"

namespace gpugauge::bench {
namespace {

using result::UsageError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseOptions, ReadsOurFlagsAndPassesTheRestOn) {
  const Options options = parse_options(
      {"--gpugauge_samples=out.json", "--gpugauge_seed=18446744073709551615", "--gpugauge_window=0.25",
       "--gpugauge_only=ids", "--gpugauge_parent=42", "--gpugauge_depth=quick", "--gpugauge_mean_window=1.5s",
       "--gpugauge_sustained=600", "--benchmark_repetitions=3", "--v=1"});
  EXPECT_EQ(options.samples, "out.json");
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.window_seconds, 0.25);
  EXPECT_EQ(options.only, "ids");
  EXPECT_EQ(options.parent, 42);
  EXPECT_EQ(options.depth, Depth::quick);
  EXPECT_EQ(options.mean_window_seconds, 1.5);
  EXPECT_EQ(options.sustained_seconds, 600);
  EXPECT_FALSE(options.describe);
  EXPECT_THAT(options.rest, ElementsAre("--benchmark_repetitions=3", "--v=1"));
}

TEST(Options, GiveSustainedLoadAMinuteWhereNoWindowIsGiven) {
  Definition load = define("f", "o").window_share(300).sustained();
  EXPECT_EQ(parse_options({}).window_for(load) * load.window_factor, 60);
  EXPECT_EQ(parse_options({}).window_for(define("f", "o")), 1);
  EXPECT_EQ(parse_options({"--gpugauge_window=0.5"}).window_for(load), 0.5);
  EXPECT_EQ(parse_options({"--gpugauge_window=0.5"}).window_for(define("f", "o")), 0.5);
}

TEST(ParseOptions, AnswersWhatGoogleBenchmarkWouldAnswerOtherwise) {
  const Options options =
      parse_options({"--benchmark_filter=copy", "--benchmark_min_time=0.5s", "--benchmark_list_tests"});
  EXPECT_EQ(options.filter, "copy");
  EXPECT_EQ(options.window_seconds, 0.5);
  EXPECT_TRUE(options.list);
  EXPECT_THAT(options.rest, IsEmpty());
  EXPECT_EQ(parse_options({"--benchmark_min_time=2"}).window_seconds, 2);
  EXPECT_FALSE(parse_options({"--benchmark_list_tests=false"}).list);
  EXPECT_TRUE(parse_options({"--benchmark_list_tests=true"}).list);
}

TEST(ParseOptions, RefusesUnknownFlagsOfOursByName) {
  EXPECT_THAT(refusal({"--gpugauge_sample=x"}), HasSubstr("--gpugauge_sample=x"));
  EXPECT_THAT(refusal({"--gpugauge_seed"}), HasSubstr("--gpugauge_seed"));
  EXPECT_THAT(refusal({"--gpugauge_describe=1"}), HasSubstr("--gpugauge_describe=1"));
}

TEST(ParseOptions, RefusesValuesThatMeanNothing) {
  for (const char* argument :
       {"--gpugauge_window=0", "--gpugauge_window=-1", "--gpugauge_window=nan", "--gpugauge_window=inf",
        "--gpugauge_window=1x", "--gpugauge_window=", "--benchmark_min_time=100x", "--gpugauge_seed=-1",
        "--gpugauge_seed=1.5", "--gpugauge_seed=99999999999999999999", "--gpugauge_parent=me",
        "--gpugauge_samples=", "--gpugauge_only=", "--gpugauge_depth=deeper", "--gpugauge_depth="})
    EXPECT_THAT(refusal({argument}), HasSubstr(argument));
}

void nothing(Trial&) {}

const Definition& letters() {
  static const Definition definition = define("options", "letter")
                                           .isolates("x")
                                           .bad_value("x")
                                           .axis("letter", {"a", "b", "c", "d", "e", "f", "g", "h"})
                                           .from(Depth::quick, "letter", {"b", "c"})
                                           .from(Depth::deep, "letter", {"h"})
                                           .quantity(Quantity::latency, "host_cpu")
                                           .body(nothing);
  return definition;
}

std::vector<std::string> chosen(const Options& options,
                                const std::optional<std::vector<std::string>>& only = {}) {
  std::vector<std::string> ids;
  for (const Instance& instance : choose(instances_of(letters()), options, only)) ids.push_back(instance.id);
  return ids;
}

Options filtered(const std::string& filter) {
  Options options;
  options.filter = filter;
  return options;
}

TEST(Choose, FiltersByRegularExpressionOnTheId) {
  EXPECT_THAT(chosen(filtered("letter/[ab]")), ElementsAre("options/letter/a", "options/letter/b"));
  EXPECT_THAT(chosen(filtered("^options/letter/c$")), ElementsAre("options/letter/c"));
  EXPECT_THAT(chosen(filtered("-[a-g]$")), ElementsAre("options/letter/h"));
  EXPECT_EQ(chosen(filtered("all")).size(), 8U);
}

TEST(Choose, RefusesAFilterThatMatchesNothingOrIsNone) {
  EXPECT_THROW(chosen(filtered("letter/z")), UsageError);
  EXPECT_THROW(chosen(filtered("[")), UsageError);
}

TEST(Choose, TakesExactIdsAndNamesOneThatDoesNotExist) {
  EXPECT_THAT(chosen({}, {{"options/letter/h", "options/letter/b"}}),
              ElementsAre("options/letter/b", "options/letter/h"));
  try {
    chosen({}, {{"options/letter/b", "options/letter"}});
    FAIL() << "an id that does not exist was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'options/letter'"));
  }
  EXPECT_THROW(chosen({}, std::vector<std::string>{}), UsageError);
}

TEST(Choose, TakesWhatIsNoDeeperThanTheDepth) {
  Options options;
  options.depth = Depth::quick;
  EXPECT_THAT(chosen(options), ElementsAre("options/letter/b", "options/letter/c"));
  options.depth = Depth::standard;
  EXPECT_EQ(chosen(options).size(), 7U);
  options.depth = Depth::deep;
  EXPECT_EQ(chosen(options).size(), 8U);
  options.depth = Depth::smoke;
  EXPECT_THROW(chosen(options), UsageError);
}

TEST(Choose, PassesOverIdsOfOtherFamilies) {
  EXPECT_THAT(chosen({}, {{"options/letter/h", "host/copy/one_core"}}), ElementsAre("options/letter/h"));
  EXPECT_THROW(chosen({}, {{"host/copy/one_core"}}), UsageError);
}

TEST(Choose, ShufflesBySeedAndOnlyBySeed) {
  const std::vector<std::string> sorted = chosen({});
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  Options options;
  options.seed = 1;
  const std::vector<std::string> one = chosen(options);
  EXPECT_EQ(one, chosen(options));
  EXPECT_THAT(one, UnorderedElementsAreArray(sorted));
  options.seed = 2;
  EXPECT_NE(one, chosen(options));
}

TEST(ReadIds, TakesOneIdALineAndPassesOverEmptyLines) {
  const result::TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "ids";
  std::ofstream(file) << "host/copy/one_core\r\n\nhost/triad/all_cores  \n";
  EXPECT_THAT(read_ids(file), ElementsAre("host/copy/one_core", "host/triad/all_cores"));
  std::filesystem::remove(file);
  EXPECT_THROW(read_ids(file), result::FileError);
}

}  // namespace
}  // namespace gpugauge::bench
