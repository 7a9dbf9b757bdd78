// Lists of files in a file.
#include "result/path_list.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"

namespace gpugauge::result {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::ThrowsMessage;

TEST(PathList, IsRelativeToItsOwnFolder) {
  EXPECT_THAT(parse_path_list(R"( ["a.json", "/b.json", "../c.json"])", "lists/l.json"),
              Optional(ElementsAre("lists/a.json", "/b.json", "lists/../c.json")));
  EXPECT_THAT(parse_path_list("[]", "l.json"), Optional(IsEmpty()));
  EXPECT_EQ(parse_path_list(R"({"schema": "gpugauge.run/1"})", "l.json"), std::nullopt);
  EXPECT_EQ(parse_path_list("", "l.json"), std::nullopt);
}

TEST(PathList, HoldsPathsOnly) {
  for (const char* const text : {"[1]", R"([["a"]])", R"([""])", R"(["a\u0000b"])", "[null]"})
    EXPECT_THAT([&] { parse_path_list(text, "l.json"); },
                ThrowsMessage<FormatError>(HasSubstr("l.json: a list of run files is an array of paths")))
        << text;
  EXPECT_THROW(parse_path_list("[\"a\"", "l.json"), FormatError);
}

}  // namespace
}  // namespace gpugauge::result
