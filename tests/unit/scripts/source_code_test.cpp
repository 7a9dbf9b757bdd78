// What of a source counts in the hash of a family.
#include <gmock/gmock.h>

#include "source_hash/code.hpp"

namespace gpugauge::source_hash {
namespace {

using testing::ElementsAre;

TEST(CodeOf, LeavesOutCommentsAndBlanksThatSeparateNothing) {
  EXPECT_EQ(code_of("int  a; // one\n/* two\n   lines */ int b ;\n"), "int a;int b;");
  EXPECT_EQ(code_of("f(x, /*y=*/ 1)"), "f(x,1)");
  EXPECT_EQ(code_of("f(\n    x,\n    1)"), code_of("f(x, 1)"));
  EXPECT_EQ(code_of("// to the end\\\nof this line\nint a;"), "int a;");
  EXPECT_EQ(code_of("int a;\r\nint b;\r\n"), code_of("int a;\nint b;\n"));
  EXPECT_EQ(code_of("int a; /* open"), "int a;");
  EXPECT_EQ(code_of(""), "");
}

TEST(CodeOf, KeepsTokensApart) {
  EXPECT_EQ(code_of("return/**/x"), "return x");
  EXPECT_EQ(code_of("a + +b"), "a+ +b");
  EXPECT_NE(code_of("a + +b"), code_of("a ++b"));
  EXPECT_EQ(code_of("long\\\nlong"), "long long");
}

TEST(CodeOf, KeepsWhatStandsInQuotes) {
  EXPECT_EQ(code_of(R"(say("a  // b /* c */ \" d");  // e)"), R"(say("a  // b /* c */ \" d");)");
  EXPECT_EQ(code_of("f('\"'); g(\"x\"); // '"), "f('\"');g(\"x\");");
  EXPECT_EQ(code_of("auto t = R\"x(a // \" )\" b)x\"; // c"), "auto t=R\"x(a // \" )\" b)x\";");
  EXPECT_EQ(code_of("auto t = FOR\"(\" ; // c"), "auto t=FOR\"(\";");
}

TEST(CodeOf, DigitsAreSeparatedByQuotes) {
  EXPECT_EQ(code_of("int a = 1'000; // it's\nint b = 0x1'0;"), "int a=1'000;int b=0x1'0;");
  EXPECT_EQ(code_of("case u8'\"': // a"), "case u8'\"':");
}

TEST(CodeOf, DirectivesKeepTheirLines) {
  EXPECT_EQ(code_of("int a;\n  #  define  B  C // d\nint e;\n"), "int a;\n#define B C\nint e;");
  EXPECT_EQ(code_of("#define A \\\n  B\nC"), "#define A B\nC");
  EXPECT_NE(code_of("#define F (x)\n"), code_of("#define F(x)\n"));
  EXPECT_EQ(code_of("#error don't\nint a; // b"), "#error don't\nint a;");
}

TEST(IncludesOf, AreTheQuotedOnes) {
  EXPECT_THAT(
      includes_of(
          "#include <a.h>\n# include \"b/c.hpp\" // d\n// #include \"e.hpp\"\nint f;\n  #include \"g.cuh\""),
      ElementsAre("b/c.hpp", "g.cuh"));
}

TEST(UsedOf, FollowsIncludesAndTheSourcesBehindThem) {
  const Files sources{
      {"/r/bench/one/a.cpp", "#include \"support/window.hpp\"\n#include \"kernels/sum.hpp\""}};
  const Files shared{
      {"/r/bench/support/window.hpp", "#include \"timer.hpp\""},
      {"/r/bench/support/timer.hpp", ""},
      {"/r/bench/support/timer.cpp", "#include \"support/timer.hpp\"\n#include \"support/clock.hpp\""},
      {"/r/bench/support/clock.hpp", ""},
      {"/r/bench/support/ranks.hpp", ""},
      {"/r/bench/support/ranks.cpp", "#include \"support/ranks.hpp\"\n#include \"support/window.hpp\""},
      {"/r/kernels/sum.hpp", ""},
      {"/r/kernels/sum.cu", "#include \"kernels/sum.cuh\""},
      {"/r/kernels/sum.cuh", ""},
      {"/r/kernels/sum_reference.cu", "#include \"kernels/sum.hpp\""},
      {"/r/kernels/scan.cu", "#include \"kernels/sum.cuh\"\n#include \"kernels/scan.hpp\""},
      {"/r/kernels/scan.hpp", ""}};
  EXPECT_THAT(used_of(sources, shared, {"/r/bench", "/r"}),
              ElementsAre("/r/bench/support/clock.hpp", "/r/bench/support/timer.cpp",
                          "/r/bench/support/timer.hpp", "/r/bench/support/window.hpp", "/r/kernels/sum.cu",
                          "/r/kernels/sum.cuh", "/r/kernels/sum.hpp", "/r/kernels/sum_reference.cu"));
}

}  // namespace
}  // namespace gpugauge::source_hash
