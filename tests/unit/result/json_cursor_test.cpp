#include "result/json_cursor.hpp"

#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "example.hpp"
#include "result/error.hpp"
#include "result/run_reader.hpp"

namespace gpugauge::result {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What `read` makes of one value, or the sentence with which it is refused.
template <typename T>
T read(const std::string& text) {
  JsonCursor in(text, "x.json");
  T value{};
  in.read(value);
  in.end();
  return value;
}
template <typename T>
std::string refusal(const std::string& text) {
  try {
    read<T>(text);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of_skipping(const std::string& numbers) {
  try {
    JsonCursor in(numbers, "x.json");
    in.skip_numbers();
    in.end();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(JsonCursor, ReadsNumbersToTheLastBit) {
  for (const double value : {0.0, -0.0, 1.0, 1e-5, 0.1, 123456789.123456789, 4.9406564584124654e-324,
                             std::numeric_limits<double>::max(), -2.2250738585072014e-308, 1e22, 3.0e-9})
    EXPECT_EQ(read<double>(nlohmann::json(value).dump()), value);
  EXPECT_EQ(read<double>("1E+2"), 100);
  EXPECT_EQ(read<double>("1e-999"), 0);
  EXPECT_EQ(read<double>("12345678901234567890123"), 12345678901234567890123.0);
  EXPECT_EQ(read<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
}

// Several bytes are looked at together: what stands at each place of them, and at the end of the text.
TEST(JsonCursor, ReadsWhateverItsLength) {
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string digits(length, '7');
    EXPECT_EQ(read<double>("0." + digits + "e1"), std::stod("0." + digits + "e1"));
    EXPECT_EQ(read<double>(digits), std::stod(digits));
    const std::string blanks(length, ' ');
    EXPECT_THAT(read<std::vector<double>>(fmt::format("[\n{0}1,\n{0}2\n{0}]\n{0}", blanks)),
                ElementsAre(1, 2));
    for (const char* tail : {"", "\\n", "\xc3\xa9", "\\\""}) {
      const std::string plain = std::string(length, 'x') + tail + "y";
      EXPECT_EQ(read<std::string>("\"" + plain + "\""),
                nlohmann::json::parse("\"" + plain + "\"").get<std::string>());
    }
    for (int c = 1; c < 256; ++c) {  // the other parser takes a 0 for the end
      const std::string text = "\"" + std::string(length, 'x') + static_cast<char>(c) + "abcdefgh\"";
      EXPECT_EQ(refusal<std::string>(text).empty(), nlohmann::json::accept(text)) << length << " " << c;
      const std::string number = std::string(length, '1') + static_cast<char>(c) + "0123456";
      EXPECT_EQ(refusal<double>(number).empty(), nlohmann::json::accept(number)) << length << " " << c;
    }
  }
}

TEST(JsonCursor, RefusesNumbersThatJsonDoesNotKnow) {
  for (const char* text : {"+1", "01", ".5", "1.", "1e", "1e+", "-", "0x10", "NaN", "Infinity", "-Infinity",
                           "1,", "1 2", "--1", "1..2"})
    EXPECT_NE(refusal<double>(text), "") << text;
  EXPECT_THAT(refusal<double>("1e999"), HasSubstr("out of range"));
  EXPECT_THAT(refusal<std::uint64_t>("-1"), HasSubstr("0 or more"));
  EXPECT_THAT(refusal<std::uint64_t>("18446744073709551616"), HasSubstr("whole number"));
  EXPECT_THAT(refusal<std::int64_t>("1.0"), HasSubstr("whole number"));
  EXPECT_THAT(refusal<int>("2147483648"), HasSubstr("out of range"));
}

TEST(JsonCursor, ReadsTextWithEveryEscape) {
  EXPECT_EQ(read<std::string>(R"("a\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00z")"),
            "a\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
  EXPECT_EQ(read<std::string>("\"\xc3\xa9\xf0\x9f\x98\x80\""), "\xc3\xa9\xf0\x9f\x98\x80");
  for (const char* text :
       {R"("\x")", R"("\u12")", R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", "\"\xff\"", "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"a\nb\"", "\"a", "\"\xc3\""})
    EXPECT_NE(refusal<std::string>(text), "") << text;
}

TEST(JsonCursor, ReadsMembersInAnyOrderAndEachOnce) {
  const auto object = [](const std::string& text) {
    JsonCursor in(text, "x.json");
    int a = 0;
    std::optional<std::string> b;
    in.object(member("a", a), optional_member("b", b));
    in.end();
    return std::pair(a, b.value_or("none"));
  };
  EXPECT_EQ(object(R"({"b": "x", "a": 1})"), std::pair(1, std::string("x")));
  EXPECT_EQ(object(R"( { "a":1 } )"), std::pair(1, std::string("none")));
  EXPECT_EQ(object("{\"\\u0061\": 1}").first, 1) << "an escaped key is the same key";
  for (const auto& [text, sentence] : std::vector<std::pair<const char*, const char*>>{
           {R"({"b": "x"})", "x.json: the key 'a' is missing"},
           {R"({"a": 1, "a": 2})", "x.json: the key 'a' stands twice"},
           {R"({"a": 1, "c": 2})", "x.json: the key 'c' is not part of this format"},
           {R"({"a": 1,})", "x.json: not JSON at byte"},
           {R"({"a": 1)", "truncated"},
           {R"({"a" 1})", "not JSON"},
           {R"({"a": "1"})", "x.json: a: should be a number and is text"},
           {R"({"a": 1} x)", "not JSON at byte 10"}}) {
    try {
      object(text);
      ADD_FAILURE() << text;
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), HasSubstr(sentence)) << text;
    }
  }
}

TEST(JsonCursor, NamesThePlaceInArraysAndMaps) {
  EXPECT_THAT(read<std::vector<double>>("[1, 2.5,\n3]"), ElementsAre(1, 2.5, 3));
  EXPECT_TRUE(read<std::vector<double>>("[ ]").empty());
  EXPECT_THAT(refusal<std::vector<double>>("[1, null]"),
              HasSubstr("x.json: [1]: should be a number and is null"));
  EXPECT_THAT((refusal<std::map<std::string, double>>(R"({"k": true})")),
              HasSubstr("k: should be a number and is true or false"));
  EXPECT_THAT((refusal<std::map<std::string, double>>(R"({"k": 1, "k": 1})")), HasSubstr("stands twice"));
}

TEST(JsonCursor, CountsNumbersItPassesOver) {
  const std::string text = "[1, -2.5e-3, 1234567890123456789, 1e308, 1E-999, " + std::string(250, '1') + "]";
  JsonCursor in(text, "x.json");
  EXPECT_EQ(in.skip_numbers(), 6U);
  in.end();
  for (const std::string& wrong :
       {std::string("[1, null]"), std::string("[1,1e309]"), std::string("[2, 01]"),
        "[" + std::string(400, '9') + "]", std::string("[1 2]"), std::string("[1,]"), std::string("7"),
        std::string("{}"), std::string("[1,-]"), std::string("[1")})
    EXPECT_EQ(refusal_of_skipping(wrong), refusal<std::vector<double>>(wrong)) << wrong;
  const std::string bad = "[1, \"2\"]";
  JsonCursor other(bad, "x.json");
  EXPECT_THROW(other.skip_numbers(), FormatError);
}

// A damaged file must never be read as another: whatever is accepted is JSON by an independent parser too.
TEST(JsonCursor, AcceptsNothingThatIsNoJson) {
  const std::string text = to_json(example_run());
  std::mt19937_64 engine(17);
  std::uniform_int_distribution<std::size_t> place(0, text.size() - 1);
  const std::string letters = "{}[]\",:0123456789.eE+-tfnu\\ \n\xff\x01";
  std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string damaged = text;
    damaged[place(engine)] = letters[letter(engine)];
    try {
      const result::Run run = parse_run(damaged, "x.json");
      ++accepted;
      EXPECT_NO_THROW(parse_run(damaged, "x.json", Detail::values)) << trial;
      EXPECT_TRUE(nlohmann::json::accept(damaged)) << trial;
    } catch (const FormatError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("x.json: ", 0), 0U);
    }
  }
  EXPECT_GT(accepted, 1000) << "most changes of a digit or a letter inside text are harmless";
}

TEST(RunFile, WithoutBatchesKeepsAllThatIsJudged) {
  result::Run run = example_run();
  BenchmarkResult& held = run.processes.at(0).samples->benchmarks.at(0);
  held.status = Status::unavailable;
  held.reason = "its GPU is in use";
  held.notes["occupied"] = "true";
  const result::Run read = parse_run(to_json(run), "x.json", Detail::values);
  for (Process& process : run.processes)
    if (process.samples)
      for (BenchmarkResult& found : process.samples->benchmarks) {
        found.batches.seconds_per_operation.clear();
        found.batches.cpu_seconds_per_operation.clear();
        found.parameters.clear();
        if (found.status != Status::unavailable) found.notes.clear();
      }
  for (Series& series : run.telemetry) {
    series.seconds.clear();
    series.values.clear();
  }
  EXPECT_EQ(read, run);
}

TEST(RunFile, WithoutBatchesKeepsTheHealthOfTheGpus) {
  result::Run run = example_run();
  run.telemetry.push_back({"gpu:GPU-1", "remap_failed", "1", {0, 9}, {0, 1}});
  run.telemetry.push_back({"gpu:GPU-1", "xid", "1", {3}, {48}});
  const auto kept = [](const result::Run& read) {
    return std::vector(read.telemetry.end() - 2, read.telemetry.end());
  };
  EXPECT_EQ(kept(parse_run(to_json(run), "x.json", Detail::values)), kept(run));
  // Into a run that was used before, and with the values before the name.
  auto turned = nlohmann::ordered_json::parse(to_json(run));
  for (auto& series : turned["telemetry"])
    series = nlohmann::ordered_json{{"values", series["values"]},
                                    {"seconds", series["seconds"]},
                                    {"unit", series["unit"]},
                                    {"name", series["name"]},
                                    {"source", series["source"]}};
  result::Run used = run;
  for (Series& series : used.telemetry) series.name = "power_watts";
  parse_run(turned.dump(), "x.json", Detail::values, used);
  EXPECT_EQ(kept(used), kept(run));
}

// Whatever was read into a run before, whole or refused half-way, nothing of it is left.
TEST(RunFile, ReadsIntoARunThatWasUsedBefore) {
  const result::Run first = example_run();
  result::Run bare;
  bare.id = "bare";
  bare.started = "2026-11-21T02:00:00Z";
  bare.complete = true;
  result::Run plain = first;  // everything optional left out
  for (Process& process : plain.processes) {
    process.exit_code.reset();
    process.signal.reset();
    process.output.clear();
    process.host.clear();
    if (!process.samples) continue;
    process.samples->context.clear();
    for (BenchmarkResult& found : process.samples->benchmarks) {
      found.parameters.clear();
      found.notes.clear();
      found.batches = {};
      for (Metric& metric : found.metrics) metric.limit.reset();
      for (Verification& check : found.verifications) check.error = check.tolerance = std::nullopt;
    }
  }
  plain.telemetry.clear();
  plain.fingerprint = {};
  result::Run without = first;
  for (Process& process : without.processes) process.samples.reset();
  std::vector<std::string> texts;
  for (const result::Run& run : {first, bare, plain, without}) texts.push_back(to_json(run));
  for (const Detail detail : {Detail::all, Detail::values})
    for (const std::string& before : texts)
      for (const std::string& now : texts) {
        result::Run used = parse_run(before, "x.json");
        parse_run(now, "x.json", detail, used);
        EXPECT_EQ(used, parse_run(now, "x.json", detail));
        EXPECT_THROW(parse_run(before.substr(0, before.size() * 2 / 3), "x.json", detail, used), FormatError);
        parse_run(now, "x.json", detail, used);
        EXPECT_EQ(used, parse_run(now, "x.json", detail));
      }
}

TEST(RunFile, WithoutBatchesIsAsStrict) {
  nlohmann::json value = nlohmann::json::parse(to_json(example_run()));
  auto& batches = value["processes"][0]["samples"]["benchmarks"][0]["batches"];
  batches["cpu_seconds_per_operation"].push_back(1);
  EXPECT_THROW(parse_run(value.dump(), "x.json", Detail::values), FormatError);
  batches["cpu_seconds_per_operation"] = {"a", "b"};
  EXPECT_THROW(parse_run(value.dump(), "x.json", Detail::values), FormatError);
  nlohmann::json run = nlohmann::json::parse(to_json(example_run()));
  const auto sentence = [&](Detail detail) -> std::string {
    try {
      parse_run(run.dump(), "x.json", detail);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "accepted";
  };
  for (const auto& wrong :
       {nlohmann::json({1, 2, 3, 4, 5}), nlohmann::json({1, "2"}), nlohmann::json("none")}) {
    run["telemetry"][0]["values"] = wrong;
    EXPECT_NE(sentence(Detail::values), "accepted");
    EXPECT_EQ(sentence(Detail::values), sentence(Detail::all));
  }
  const std::string text = to_json(example_run());
  for (std::size_t length = 1; length + 2 < text.size(); length += 97)
    EXPECT_THROW(parse_run(text.substr(0, length), "x.json", Detail::values), FormatError);
}

}  // namespace
}  // namespace gpugauge::result
