// Four reports of each cause, as people typically write them (harness/diagnose/reports/typical.json): words, messages and figures from
// knowledge of the field, not from threads, and without sight of the signatures.
#include <gtest/gtest.h>

#include "unit/diagnose/cases.hpp"

namespace gpugauge::diagnose {
namespace {

TEST(Typical, ReportsOfEachCauseAreNamed) {
  const std::filesystem::path file = reports_folder() / "typical.json";
  std::set<std::string_view> reported;
  Tally all;
  std::string misses;
  for (const nlohmann::json& one : result::parse_json(result::read_file(file), file.string())) {
    const Case report{one.at("name"), "cause", one.at("accept").get<std::set<std::string>>(),
                      parse_observation(one.at("seen").dump(), one.at("name"))};
    for (const std::string& cause : report.accept)
      if (const Signature* const known = find_signature(cause)) reported.insert(known->name);
    const Diagnosis diagnosis = diagnose(report.observation);
    const Count counted = count(report, diagnosis);
    all.add(counted);
    if (!counted.first || counted.confident_wrong) misses += "  " + shown(report, diagnosis) + "\n";
  }
  EXPECT_GE(all.first, .98 * all.cases) << misses;
  EXPECT_EQ(all.confident_wrong, 0) << misses;
  for (const Signature& signature : catalogue())
    EXPECT_TRUE(reported.contains(signature.name)) << signature.name;
}

}  // namespace
}  // namespace gpugauge::diagnose
