#include "judge/verdict.hpp"

#include <set>

#include <gtest/gtest.h>

namespace gpugauge::judge {
namespace {

TEST(Verdict, EachWordIsOfItsKindAlone) {
  const std::set<std::string_view> against{"regressed", "missing", "failed"};
  for (const std::string_view word :
       {"ok", "regressed", "improved", "inconclusive", "unstable", "new", "missing", "failed"}) {
    const auto kind = verdict_kind(word);
    ASSERT_TRUE(kind) << word;
    EXPECT_EQ(to_string(*kind), word);
    EXPECT_EQ(grave(*kind), against.contains(word)) << word;
  }
  for (const std::string_view word : {"", "OK", "new_metric", "unknown", "failed "})
    EXPECT_EQ(verdict_kind(word), std::nullopt) << word;
}

}  // namespace
}  // namespace gpugauge::judge
