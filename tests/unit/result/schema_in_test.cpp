#include "result/schema_in.hpp"

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(SchemaIn, ReadsTheKeyWhereverItStandsInTheObject) {
  EXPECT_EQ(schema_in(R"({"schema": "gpugauge.run/1", "id": "x"})"), "gpugauge.run/1");
  const std::string filler(4096, 'x');
  EXPECT_EQ(schema_in(R"( {"inventory": {"schema": "gpugauge.inventory/1", "items": [")" + filler +
                      R"("]}, "schema": "gpugauge.doctor/1"})"),
            "gpugauge.doctor/1");
  EXPECT_EQ(schema_in(R"({"sch\u0065ma": "gpugauge\u002elock/1"})"), "gpugauge.lock/1");
}

TEST(SchemaIn, IsEmptyForWhatOnlyMentionsOne) {
  for (const char* text :
       {R"({"note": "\"schema\": \"gpugauge.run/1\""})", R"(["schema", "gpugauge.run/1"])",
        R"({"inner": {"schema": "gpugauge.run/1"}})", R"({"schema": "other/1"})", R"({"schema": 1})",
        R"({"schema")", R"({"a": NaN, "schema": "gpugauge.run/1"})", R"("gpugauge.run/1")", "", "{", "{}"})
    EXPECT_EQ(schema_in(text), "") << text;
}

TEST(SchemaIn, OfAFileThatIsCutShortIsWhatStandsBeforeTheCut) {
  EXPECT_EQ(schema_in(R"({"schema": "gpugauge.samples/1", "fam)"), "gpugauge.samples/1");
  EXPECT_EQ(schema_in(R"({"benchmarks": [1, 2)"), "");
}

TEST(SchemaIn, AnotherSchemaIsAnyOfOursButThatOfARun) {
  EXPECT_TRUE(of_another_schema(R"({"schema": "gpugauge.baseline/1"})"));
  EXPECT_FALSE(of_another_schema(R"({"schema": "gpugauge.run/1"})"));
  EXPECT_FALSE(of_another_schema(R"({"schema": "gpugauge.run/9"})")) << "reading it says what is wrong";
  EXPECT_FALSE(of_another_schema(R"({"schema": "other/1"})"));
  EXPECT_FALSE(of_another_schema("{}"));
}

}  // namespace
}  // namespace gpugauge::result
