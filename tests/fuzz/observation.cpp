// Observations, and the diagnosis of what was read: it looks into their texts.
#include "diagnose/observation.hpp"

#include "diagnose/diagnose.hpp"
#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const auto parse = [](const std::string& text) { return diagnose::parse_observation(text, "seen.json"); };
  const auto write = [](const diagnose::Observation& observation) { return diagnose::to_json(observation); };
  if (!comes_back(bytes, parse, write)) return;
  const diagnose::Observation observation = parse(std::string(bytes));
  require(parse(write(observation)) == observation, "an observation comes back as another one");
  const diagnose::Diagnosis found = diagnose::diagnose(observation);
  require(!found.sentence.empty(), "a diagnosis has no sentence");
  require(found.findings.size() <= diagnose::findings_most, "a diagnosis has more findings than it may");
  for (const diagnose::Finding& finding : found.findings)
    require(finding.score >= 0 && finding.score <= 1, "a score is none");
}

const Target target("observation", read);

}  // namespace
}  // namespace gpugauge::fuzz
