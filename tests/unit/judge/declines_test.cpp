// What the monitor alarms of, in one sentence.
#include "judge/declines.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace gpugauge::judge {
namespace {

using testing::HasSubstr;

Decline made_decline(const std::string& metric, double change, std::optional<double> again = {}) {
  return {metric, metric.substr(0, metric.find(':')), "2026-03-01T02:00:00Z", 9, change, .03, again};
}

TEST(Declines, AreToldInOneSentence) {
  EXPECT_EQ(sentence_on({}), "");
  EXPECT_THAT(
      sentence_on(
          {made_decline("memory/copy:bandwidth", .018, .019), made_decline("memory/read:bandwidth", .011)}),
      HasSubstr(": memory/copy:bandwidth by 1.8% in 9 checks since 2026-03-01 (1.9% when measured again); "
                "memory/read:bandwidth by 1.1% in 9 checks since 2026-03-01 (not measured again). This "
                "decides nothing"));
  std::vector<Decline> many;
  many.reserve(5);
  for (int i = 0; i < 5; ++i) many.push_back(made_decline(fmt::format("a/{}:rate", i), .02));
  EXPECT_THAT(sentence_on(many), HasSubstr("; and 2 more."));
}

}  // namespace
}  // namespace gpugauge::judge
