// Every cause from its mechanism (tests/cases/mechanisms.json): it is named, and the fact that separates it
// from what it is confused with turns the answer.
#include <set>

#include <gmock/gmock.h>

#include "unit/diagnose/perturb.hpp"

namespace gpugauge::diagnose {
namespace {

using nlohmann::json;

json mechanisms() {
  const std::filesystem::path file =
      std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "tests" / "cases" / "mechanisms.json";
  return result::parse_json(result::read_file(file), file.string());
}

/// The best finding's cause; "" where there is none.
std::string best(const json& seen, const std::string& origin) {
  const Diagnosis diagnosis = diagnose(parse_observation(seen.dump(), origin));
  return diagnosis.findings.empty() ? "" : diagnosis.findings.front().cause;
}

TEST(Mechanisms, ThereIsOneForEveryCause) {
  std::set<std::string> named_ones;
  for (const json& one : mechanisms()) named_ones.insert(one.at("cause").get<std::string>());
  for (const Signature& signature : catalogue())
    EXPECT_TRUE(named_ones.contains(std::string(signature.name))) << signature.name;
}

TEST(Mechanisms, AreNamed) {
  for (const json& one : mechanisms()) {
    const std::string cause = one.at("cause");
    const Diagnosis diagnosis = diagnose(parse_observation(one.at("seen").dump(), cause));
    ASSERT_FALSE(diagnosis.findings.empty()) << cause << ": " << diagnosis.sentence;
    EXPECT_EQ(diagnosis.findings.front().cause, cause) << diagnosis.findings.front().score;
    for (std::size_t i = 1; i < diagnosis.findings.size(); ++i)
      EXPECT_LT(diagnosis.findings[i].score, confident)
          << cause << ": beside it " << diagnosis.findings[i].cause << " is called confident";
  }
}

TEST(Mechanisms, TurnWithTheFactThatSeparatesThem) {
  int turned = 0;
  for (const json& one : mechanisms()) {
    if (!one.contains("but")) continue;
    for (const json& other : one.at("but")) {
      json seen = one.at("seen");
      seen.merge_patch(other.at("with"));
      EXPECT_EQ(best(seen, one.at("cause")), other.at("is").get<std::string>())
          << one.at("cause") << " with " << other.at("with").dump();
      ++turned;
    }
  }
  EXPECT_GE(turned, 80);
}

/// Both observations in one: lists one behind the other, of objects the union.
json together(json one, const json& other) {
  for (const auto& [key, part] : other.items()) {
    if (!one.contains(key)) {
      one[key] = part;
    } else if (part.is_array() && one[key].is_array()) {
      for (const json& element : part) one[key].push_back(element);
    } else if (part.is_object() && one[key].is_object()) {
      one[key].update(part);
    }
  }
  return one;
}

/// Each cause with ten others: one of the two is named first, and nothing else with confidence.
TEST(Mechanisms, TwoAtOnceAreNotTakenForAThird) {
  const json all = mechanisms();
  int pairs = 0;
  int first = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t step = 1; step <= 10; ++step) {
      const json& one = all[i];
      const json& other = all[(i + 7 * step) % all.size()];
      const std::set<std::string> both{one.at("cause"), other.at("cause")};
      const Diagnosis diagnosis =
          diagnose(parse_observation(together(one.at("seen"), other.at("seen")).dump(), "two"));
      ++pairs;
      if (!diagnosis.findings.empty() && both.contains(diagnosis.findings.front().cause)) ++first;
      for (const Finding& finding : diagnosis.findings)
        EXPECT_TRUE(finding.score < confident || both.contains(finding.cause))
            << one.at("cause") << " and " << other.at("cause") << ": " << finding.cause;
    }
  EXPECT_GE(first, .97 * pairs) << "of " << pairs;
}

TEST(Mechanisms, WithOneFactLessNothingElseIsNamedWithConfidence) {
  for (const json& one : mechanisms())
    for (const Variant& variant : without_one_fact(parse_observation(one.at("seen").dump(), "one less")))
      for (const Finding& finding : diagnose(variant.observation).findings)
        EXPECT_TRUE(finding.score < confident || finding.cause == one.at("cause"))
            << one.at("cause") << " without " << variant.what << ": " << finding.cause;
}

}  // namespace
}  // namespace gpugauge::diagnose
