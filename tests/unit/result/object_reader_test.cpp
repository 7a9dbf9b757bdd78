#include "result/object_reader.hpp"

#include <gmock/gmock.h>

namespace gpugauge::result {
namespace {

using nlohmann::json;

/// The sentence with which a text is refused; "accepted" where it is not.
std::string refusal_of_tree(const std::string& text) {
  try {
    parse_json(text, "x.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ParseJson, BuildsTheTreeThatTheTextDescribes) {
  for (const char* text :
       {"null", "true", "-1", "18446744073709551615", "-9223372036854775808", "1.5e-3", "1e-999", R"("")",
        R"("a\u0000\u00e9\ud83d\ude00")", "[]", "{}", " [ 1 , [ ] , { } ] ", "[[[]],[[1],2],3]",
        R"({"a": {"b": [1, {"c": null}, "d"]}, "": [], "e": {}})", R"([{"a": 1}, {"a": 2}, {"a": {"a": 3}}])",
        "[{},{},0,{}]", R"({"b": [{}, {}], "a": {"x": {}, "y": [{}, []]}})"})
    EXPECT_EQ(parse_json(text, "x.json"), json::parse(text)) << text;
  const json numbers = parse_json("[0, -1, 1.0, 12345678901234567890123]", "x.json");
  EXPECT_TRUE(numbers[0].is_number_unsigned());
  EXPECT_TRUE(numbers[1].is_number_integer() && !numbers[1].is_number_unsigned());
  EXPECT_TRUE(numbers[2].is_number_float() && numbers[3].is_number_float());
}

TEST(ParseJson, RefusesWithOneSentenceWhatIsNoJson) {
  const std::string empty = "x.json: the file is empty; it should hold a JSON object";
  const std::string range = "x.json: not JSON that can be read (a number is out of range)";
  const auto cut = [](int bytes) {
    return "x.json: the JSON ends too early, after " + std::to_string(bytes) +
           " bytes: the file is truncated";
  };
  const auto byte = [](int at) { return "x.json: not JSON at byte " + std::to_string(at); };
  for (const auto& [text, sentence] :
       std::vector<std::pair<std::string, std::string>>{{"", empty},
                                                        {" \t\r\n", empty},
                                                        {"{", cut(1)},
                                                        {R"({"a": 1)", cut(7)},
                                                        {R"({"a": [1, 2)", cut(11)},
                                                        {"\"abc", cut(4)},
                                                        {"1e999", range},
                                                        {R"({"a": [-1e400]})", range},
                                                        {"[1] x ", byte(5)},
                                                        {"{} {} ", byte(4)},
                                                        {"[1,]  ", byte(4)},
                                                        {"[1 2] ", byte(4)},
                                                        {"{1: 2} ", byte(2)},
                                                        {R"({"a" 1} )", byte(6)},
                                                        {R"({"a": 1,} )", byte(9)},
                                                        {"[NaN] ", byte(2)},
                                                        {"[01] ", byte(3)},
                                                        {"[\"\xff\"] ", byte(3)},
                                                        {"[\"\xc0\x80\"] ", byte(3)},
                                                        {"[\"\xed\xa0\x80\"] ", byte(4)},
                                                        {"[\"\\x\"] ", byte(4)},
                                                        {"[\"\\ud83d\"] ", byte(9)},
                                                        {"[\"a\nb\"] ", byte(4)}})
    EXPECT_EQ(refusal_of_tree(text), sentence) << text;
}

TEST(ParseJson, RefusesAKeyThatStandsTwiceInOneObject) {
  const std::string sentence = "x.json: the key 'a' stands twice in one object";
  for (const char* text :
       {R"({"a": 1, "a": 1})", R"({"a": {}, "b": [{"a": 1}], "a": 2})", R"([{"b": {"a": 1, "\u0061": 2}}])",
        R"({"a": 1, "a")", R"({"b": {"a": 1}, "a": 1, "a": 1})"})
    EXPECT_EQ(refusal_of_tree(text), sentence) << text;
  EXPECT_EQ(refusal_of_tree(R"({"a": {"a": [{"a": 1}, {"a": 1}]}, "b": {"a": 1}})"), "accepted");
}

TEST(ObjectReader, AKeyThatMayBeAbsentIsOfItsTypeWhereItIsThere) {
  const json value = json::parse(R"({"text": "a", "flag": false, "null": null})");
  ObjectReader reader(value, {"x.json", ""});
  EXPECT_EQ(reader.optional_text("text"), "a");
  EXPECT_EQ(reader.optional_text("absent"), "");
  EXPECT_EQ(reader.optional_boolean("flag"), false);
  EXPECT_EQ(reader.optional_boolean("absent"), std::nullopt);
  EXPECT_THROW(reader.optional_text("flag"), FormatError);
  EXPECT_THROW(reader.optional_text("null"), FormatError);
  EXPECT_THROW(reader.optional_boolean("text"), FormatError);
  EXPECT_THROW(reader.optional_boolean("null"), FormatError);
  EXPECT_NO_THROW(reader.done());
}

TEST(ParseJson, EndsNestingAt64Levels) {
  const std::string sentence = "x.json: nested deeper than 64 levels";
  EXPECT_EQ(refusal_of_tree(repeated("[", 64) + "1" + repeated("]", 64)), "accepted");
  EXPECT_EQ(refusal_of_tree(repeated("[", 65) + repeated("]", 65)), "accepted")
      << "the last one is an empty leaf";
  EXPECT_EQ(refusal_of_tree(repeated("[", 65) + "1" + repeated("]", 65)), sentence);
  EXPECT_EQ(refusal_of_tree(repeated("[", 66) + repeated("]", 66)), sentence);
  EXPECT_EQ(refusal_of_tree(repeated(R"({"a":)", 64) + "1" + repeated("}", 64)), "accepted");
  EXPECT_EQ(refusal_of_tree(repeated(R"({"a":)", 65) + "1" + repeated("}", 65)), sentence);
  EXPECT_EQ(refusal_of_tree(repeated(R"([{"a":)", 40)), sentence) << "before the end that is missing";
}

}  // namespace
}  // namespace gpugauge::result
