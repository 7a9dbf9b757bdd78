// The real reports, replayed: whether the established cause is named, and nothing is claimed that is not so.
#include "unit/diagnose/cases.hpp"

#include <iostream>

#include <gmock/gmock.h>

namespace gpugauge::diagnose {
namespace {

TEST(Cases, AreNamedAndNothingIsClaimedWrongly) {
  Tally all;
  std::string misses;
  for (const Case& one : read_cases()) {
    const Diagnosis diagnosis = diagnose(one.observation);
    const Count counted = count(one, diagnosis);
    all.add(counted);
    if (!counted.first || !counted.third || counted.confident_wrong || counted.false_alarm)
      misses += "  " + shown(one, diagnosis) + "\n";
  }
  std::cout << "cases " << all.cases << ", top-1 " << all.first << ", top-3 " << all.third
            << ", wrong with confidence " << all.confident_wrong << ", findings on healthy ones "
            << all.false_alarms << "\n"
            << misses;
  ASSERT_EQ(all.cases, 87);
  EXPECT_GE(all.first, .85 * all.cases);
  EXPECT_GE(all.third, .97 * all.cases);
  EXPECT_EQ(all.confident_wrong, 0);
  EXPECT_EQ(all.false_alarms, 0);
}

/// Encoded without sight of the signatures and of the other cases; docs/diagnosis.md says how many
/// were right before a rule was changed for any of them.
TEST(Cases, OfIndependentEncodersAreNamed) {
  Tally all;
  std::string misses;
  for (const Case& one : read_cases(reports_folder() / "independent")) {
    const Diagnosis diagnosis = diagnose(one.observation);
    const Count counted = count(one, diagnosis);
    all.add(counted);
    if (!counted.first || counted.confident_wrong || counted.false_alarm)
      misses += "  " + shown(one, diagnosis) + "\n";
  }
  ASSERT_EQ(all.cases, 777);
  EXPECT_GE(all.first, .93 * all.cases) << misses;
  EXPECT_EQ(all.confident_wrong, 0) << misses;
  EXPECT_EQ(all.false_alarms, 0) << misses;
}

/// Nothing here is a conclusion of the encoder's: the name of a case may not matter.
TEST(Cases, AreDiagnosedWithoutTheirNames) {
  for (Case one : read_cases()) {
    const Diagnosis named_one = diagnose(one.observation);
    one.observation.about.source.clear();
    const Diagnosis nameless = diagnose(one.observation);
    ASSERT_EQ(named_one.findings.size(), nameless.findings.size()) << one.id;
    for (std::size_t i = 0; i < nameless.findings.size(); ++i) {
      EXPECT_EQ(named_one.findings[i].cause, nameless.findings[i].cause) << one.id;
      EXPECT_EQ(named_one.findings[i].score, nameless.findings[i].score) << one.id;
    }
  }
}

TEST(Cases, ArePassedThroughTheWriterUnchanged) {
  for (const Case& one : read_cases())
    EXPECT_EQ(parse_observation(to_json(one.observation), one.id), one.observation) << one.id;
}

TEST(Cases, ExpectOnlyCausesOfTheCatalogue) {
  for (const Case& one : read_cases())
    for (const std::string& cause : one.accept)
      EXPECT_NE(find_signature(cause), nullptr) << one.id << " " << cause;
}

}  // namespace
}  // namespace gpugauge::diagnose
