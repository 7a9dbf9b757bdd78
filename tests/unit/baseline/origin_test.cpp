// What a report says of the baseline that a run was held against, or of how to make one.
#include <gmock/gmock.h>

#include "selected.hpp"

namespace gpugauge::baseline {
namespace {

using testing::HasSubstr;

TEST_F(Select, RoundsAreDatedByWhenTheyWereMeasured) {
  const auto started = [](const char* when) { return [when](result::Run& run) { run.started = when; }; };
  const std::filesystem::path folder =
      pin("state/baselines/golden", started("2026-11-01T02:00:00Z"), "2026-11-26T00:00:00Z");
  EXPECT_THAT(select(folder, now()).origin, HasSubstr("baseline golden (1 round from 2026-11-01)"));
  std::vector<result::Run> rounds{make_run(1), make_run(2), make_run(3)};
  rounds[0].started = "2026-11-06T02:00:00Z";
  rounds[1].started = "2026-11-01T02:00:00Z";
  rounds[2].started = "2026-11-03T02:00:00Z";
  create(temporary.path() / "days", "days", rounds);
  EXPECT_THAT(select(temporary.path() / "days", now()).origin,
              HasSubstr("baseline days (3 rounds from 2026-11-01 to 2026-11-06)"));
}

TEST_F(Select, WhereThereIsNoneTheCommandThatMakesOneIsNamed) {
  result::Fingerprint host = now();
  host.suite["suite.profile"] = "quick";
  EXPECT_THAT(select({}, host, "host").origin,
              HasSubstr("Make one with `gpugauge baseline create --device host --profile quick`."));
  host.suite["suite.profile"] = "quick`x`";
  EXPECT_THAT(select({}, host, "host; rm -rf ~ #").origin,
              HasSubstr("create --device 'host; rm -rf ~ #' --profile 'quick`x`'`"));
  host.suite["suite.profile"] = "frameworks";
  EXPECT_THAT(select({}, host, "GPU-1").origin,
              HasSubstr("Make one with `gpugauge baseline create RUN.json ...`, from 5 files or more that "
                        "`gpugauge frameworks --output RUN.json` left."));
}

}  // namespace
}  // namespace gpugauge::baseline
