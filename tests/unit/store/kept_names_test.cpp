// What series are called: by every version of GPUGauge the same, and no two alike.
#include <gmock/gmock.h>

#include "store/database.hpp"
#include "store/store.hpp"
#include "unit/store/histories.hpp"
#include "unit/store/on_databases.hpp"

namespace gpugauge::store {
namespace {

using test::record;
using test::StoreTest;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_P(StoreTest, RunsOfOlderVersionsGetTheProfileThatNewOnesHave) {
  const auto of_profile = [](int day, const std::string& profile, const result::Fingerprint& facts) {
    Record out = record(day, {1});
    out.profile = profile;
    out.facts = facts_text(facts);
    out.facts_hash = baseline::sha256(out.facts);
    return out;
  };
  result::Fingerprint together = test::facts(), foreign;
  together.suite["suite.devices_together"] = "8";
  foreign.settings["executable"] = "./build/bench_sum";
  foreign.suite["suite.profile"] = "google-benchmark";
  open().ingest({of_profile(1, "quick", test::facts()), of_profile(2, "quick", together),
                 of_profile(3, "google-benchmark", foreign), of_profile(4, "other", {}),
                 of_profile(5, "quick, devices_together 8", together)});
  {
    Database database(location_, Access::writing);
    if (database.postgresql()) database.sql() << "SET search_path = gpugauge";
    for (const std::string& statement : test::to_second_schema) database.sql() << statement;
  }
  Store store = open();
  std::vector<std::string> profiles;
  for (const Point& point : store.series(store.devices().at(0), store.metrics().at(0), {}))
    profiles.push_back(point.profile);
  EXPECT_THAT(profiles, ElementsAre("quick", "quick, devices_together 8", "google-benchmark of bench_sum",
                                    "other", "quick, devices_together 8"));
}

TEST_P(StoreTest, NamesOfAnyLengthStayApart) {
  // Nothing packs them, and PostgreSQL's indexes take none of that length.
  std::string name;
  for (std::size_t i = 0; name.size() < 3000; ++i) name += baseline::sha256(std::to_string(i));
  Record wide = record(1, {1});
  wide.measured.push_back(wide.measured[0]);
  wide.measured[0].form.key = wide.measured[0].form.benchmark = name + "a";
  wide.measured[1].form.key = wide.measured[1].form.benchmark = name + "b";
  wide.peer.checksums = {{name + "a", {"aa"}}, {name + "b", {"bb"}}};
  Record later = wide;
  later.started = "2026-01-02T03:00:00Z";
  later.peer.id = "later";
  later.content_hash = baseline::sha256("later");
  open().ingest({wide});
  Store store = open();
  store.ingest({later});
  const auto metrics = store.metrics();
  ASSERT_THAT(metrics, SizeIs(2)) << "of both nights";
  EXPECT_NE(metrics[0].form.key, metrics[1].form.key);
  for (const Metric& metric : metrics) {
    EXPECT_EQ(metric.form.benchmark, metric.form.key);
    EXPECT_THAT(metric.form.key,
                AllOf(StartsWith(name.substr(0, 400)), SizeIs(GetParam().empty() ? name.size() + 1 : 472)));
  }
  const auto night = store.night("2026-01-02");
  ASSERT_THAT(night.rounds, SizeIs(1));
  ASSERT_THAT(night.rounds[0].checksums, SizeIs(2));
  for (const auto& [benchmark, values] : night.rounds[0].checksums)
    EXPECT_TRUE(benchmark == metrics[0].form.benchmark || benchmark == metrics[1].form.benchmark);
}

}  // namespace
}  // namespace gpugauge::store
