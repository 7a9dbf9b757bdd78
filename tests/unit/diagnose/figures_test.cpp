// The figures of docs/diagnosis.md and the vocabulary of docs/observation.md are what the program says.
#include <array>
#include <functional>
#include <iostream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "diagnose/probes.hpp"
#include "diagnose/vocabulary.hpp"
#include "unit/diagnose/page_part.hpp"
#include "unit/diagnose/perturb.hpp"

namespace gpugauge::diagnose {
namespace {

using Variants = std::function<std::vector<Variant>(const Observation&)>;

std::vector<Variant> as_it_is(const Observation& whole) {
  return {{"", whole}};
}

Tally replay(const std::vector<Case>& cases, const Variants& variants, const Weights& weights = {}) {
  Tally out;
  for (const Case& one : cases)
    for (const Variant& variant : variants(one.observation))
      out.add(count(one, diagnose(variant.observation, weights)));
  return out;
}

/// More is better: right answers, with a heavy price on confident wrong ones and false alarms.
double worth(const Tally& tally) {
  constexpr double price = 5;
  return tally.first + .5 * tally.third - price * (tally.confident_wrong + tally.false_alarms);
}

std::vector<Weights> grid() {
  std::vector<Weights> out;
  for (const double pattern : {.3, .2, .4})
    for (const double contradiction : {.6, .4, .8})
      for (const double least : {.35, .3, .4, .45})
        out.push_back(
            {.pattern = pattern, .contradiction = contradiction, .named = least, .named_without_harm = .55});
  return out;
}

/// In turn: what does best on four fifths, counted on the fifth that it has not seen. Each fifth is diagnosed
/// once with each of the weights.
Tally held_out(const std::vector<Case>& cases) {
  constexpr std::size_t parts = 5;
  std::array<std::vector<Case>, parts> fifths;
  for (std::size_t i = 0; i < cases.size(); ++i) fifths[i % parts].push_back(cases[i]);
  std::array<Tally, parts> best;
  std::array<double, parts> most;
  most.fill(-1e9);
  for (const Weights& weights : grid()) {
    std::array<Tally, parts> counted;
    for (std::size_t part = 0; part < parts; ++part) counted[part] = replay(fifths[part], as_it_is, weights);
    for (std::size_t unseen = 0; unseen < parts; ++unseen) {
      Tally seen;
      for (std::size_t part = 0; part < parts; ++part)
        if (part != unseen) seen.add(counted[part]);
      if (const double value = worth(seen); value > most[unseen]) {
        most[unseen] = value;
        best[unseen] = counted[unseen];
      }
    }
  }
  Tally out;
  for (const Tally& unseen : best) out.add(unseen);
  return out;
}

std::string row(const char* name, const Tally& tally) {
  const auto share = [&](int part) { return 100.0 * part / tally.cases; };
  return fmt::format("| {} | {} | {} ({:.1f}%) | {} ({:.1f}%) | {} | {} |\n", name, tally.cases, tally.first,
                     share(tally.first), tally.third, share(tally.third), tally.confident_wrong,
                     tally.false_alarms);
}

TEST(Figures, OfTheDiagnosisPageAreWhatTheProgramDoes) {
  const std::vector<Case> cases = read_cases();
  const Tally fifths = held_out(cases);
  std::string table =
      "| observations | count | first finding right | right among three | wrong with confidence | findings "
      "on healthy "
      "ones |\n|---|---|---|---|---|---|\n";
  table += row("as reported", replay(cases, as_it_is));
  table += row("held out by fifths", fifths);
  table += row("one fact less", replay(cases, without_one_fact));
  table += row("said otherwise", replay(cases, said_otherwise));
  const std::vector<Case> independent = read_cases(reports_folder() / "independent");
  table += row("independent, as reported", replay(independent, as_it_is));
  table += row("independent, held out by fifths", held_out(independent));
  Tally encoded = replay(cases, encoded_otherwise);
  encoded.add(replay(independent, encoded_otherwise));
  table += row("all, encoded otherwise", encoded);
  Tally texts = replay(cases, texts_alone);
  texts.add(replay(independent, texts_alone));
  table += row("all that have messages or logs, their texts alone", texts);
  std::cout << table;
  EXPECT_GE(fifths.first, .85 * fifths.cases);
  EXPECT_GE(fifths.third, .97 * fifths.cases);
  EXPECT_EQ(fifths.confident_wrong, 0);
  EXPECT_EQ(fifths.false_alarms, 0);
  expect_part(docs / "diagnosis.md", "figures", table);
}

template <typename Keys>
std::string table_of(const char* title, const Keys& keys) {
  std::string out = fmt::format("\n## Keys of `{}`\n\n| key | what |\n|---|---|\n", title);
  for (const Key& key : keys) out += fmt::format("| `{}` | {} |\n", key.name, key.meaning);
  return out;
}

template <typename List>
std::string words_of(const List& words) {
  std::string out;
  for (const std::string_view word : words) out += fmt::format("{}`{}`", out.empty() ? "" : ", ", word);
  return out;
}

TEST(Figures, TheVocabularyOfTheObservationPageIsTheReaders) {
  std::string text = table_of("telemetry", telemetry_keys);
  text += fmt::format("\nThrottle reasons: {}.\n", words_of(throttle_reasons));
  text += table_of("inventory", inventory_keys);
  expect_part(docs / "observation.md", "vocabulary", text);
  const std::string page = result::read_file(docs / "observation.md");
  const auto named_on_page = [&](const auto& words) {
    for (const std::string_view word : words)
      EXPECT_NE(page.find(word), std::string::npos) << word << " is not on the page";
  };
  named_on_page(sides);
  named_on_page(phases);
  named_on_page(probe_names);
  named_on_page(probe_outcomes);
  named_on_page(apis);
  named_on_page(movements);
}

TEST(Figures, TheTableOfProbesIsTheProgramsOwn) {
  std::string text = "| probe | for | question | separates | about |\n|---|---|---|---|--:|\n";
  for (const ProbeEntry& probe : probe_table()) {
    const std::string_view measures = probe.measures == Measures::host  ? "host"
                                      : probe.measures == Measures::gpu ? "GPU"
                                                                        : "both";
    std::string causes;
    for (const std::string_view cause : probe.separates)
      causes += fmt::format("{}[{}](findings/{}.md)", causes.empty() ? "" : ", ", cause, cause);
    text += fmt::format("| `{}` | {} | {} | {} | {:g} s |\n", probe.id, measures, probe.question, causes,
                        probe.seconds);
  }
  expect_part(docs / "diagnosis.md", "probes", text);
}

TEST(Figures, TheSchemaOfAnObservationHasTheReadersWords) {
  const nlohmann::json schema =
      nlohmann::json::parse(result::read_file(docs / "schema" / "observation-1.schema.json"));
  const auto keys_of = [](const nlohmann::json& object) {
    std::set<std::string> out;
    for (const auto& [key, value] : object.items()) out.insert(key);
    return out;
  };
  const auto names_of = [](const auto& keys) {
    std::set<std::string> out;
    for (const Key& key : keys) out.insert(std::string(key.name));
    return out;
  };
  const nlohmann::json& parts = schema.at("properties");
  std::set<std::string> telemetry = names_of(telemetry_keys);
  telemetry.insert("moved");
  EXPECT_EQ(keys_of(parts.at("telemetry").at("properties")), telemetry);
  EXPECT_EQ(keys_of(parts.at("inventory").at("properties")), names_of(inventory_keys));
  const auto expect_words = [](const nlohmann::json& list, const auto& words) {
    const std::vector<std::string> found = list.get<std::vector<std::string>>();
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(words));
  };
  const nlohmann::json& probe = parts.at("probes").at("items").at("properties");
  expect_words(probe.at("name").at("enum"), probe_names);
  expect_words(probe.at("outcome").at("enum"), probe_outcomes);
  expect_words(parts.at("errors").at("items").at("properties").at("api").at("enum"), apis);
  expect_words(parts.at("about").at("properties").at("compared_with").at("enum"), sides);
  const nlohmann::json& scope = schema.at("$defs").at("metric").at("properties").at("scope").at("properties");
  expect_words(scope.at("phase").at("enum"), phases);
  expect_words(scope.at("size").at("enum"), sizes);
  expect_words(scope.at("direction").at("enum"), copy_directions);
}

TEST(Figures, TheWorkedExamplesOfTheObservationPageEndAsItSays) {
  std::string page = result::read_file(docs / "observation.md");
  int examples = 0;
  for (std::size_t at = page.find("```json\n"); at != std::string::npos;
       at = page.find("```json\n", at + 1)) {
    const std::size_t begin = at + std::string("```json\n").size();
    const std::size_t end = page.find("```", begin);
    const std::size_t line = page.find("Finding: ", end);
    const std::string says = page.substr(line, page.find('\n', line) - line);
    const Diagnosis diagnosis =
        diagnose(parse_observation(page.substr(begin, end - begin), "docs/observation.md"));
    const std::string cause =
        diagnosis.findings.empty() ? "none" : "`" + diagnosis.findings.front().cause + "`";
    const int code = diagnosis.state == State::found ? 1 : diagnosis.state == State::unknown ? 3 : 0;
    EXPECT_EQ(says, fmt::format("Finding: {}, exit code {}.", cause, code));
    ++examples;
  }
  EXPECT_EQ(examples, 3);
}

}  // namespace
}  // namespace gpugauge::diagnose
