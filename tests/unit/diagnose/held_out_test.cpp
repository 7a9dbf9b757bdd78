// What likeness to known reports is worth: each report is looked up among those of other sets only.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "unit/diagnose/page_part.hpp"

namespace gpugauge::diagnose {
namespace {

/// As many sets at a time are held out together, so that the index is made a few times only.
constexpr std::size_t parts = 6;

struct Counted {
  int reports = 0;
  int first = 0;
  int third = 0;
  int fifth = 0;
};

struct Worth {
  Counted all;        ///< whose cause has a name
  Counted alike;      ///< of them, those that are most alike: .4 or more
  int confident = 0;  ///< right and confident without the known reports
  int doubted = 0;    ///< of them, no longer confident beside them
};

constexpr double very_alike = .4;

/// The parts of the sets: 0 to parts - 1; typical reports are in none, since they are made up.
std::map<std::string, std::size_t> parts_of(const std::vector<KnownReport>& reports) {
  std::map<std::string, std::size_t> out;
  for (const KnownReport& one : reports)
    if (one.set != "typical") out.emplace(one.set, out.size() % parts);
  return out;
}

void count(const KnownReport& report, const ReportIndex& index, Worth& out) {
  const auto accepted = [&](const std::string& cause) {
    return std::find(report.causes.begin(), report.causes.end(), cause) != report.causes.end();
  };
  const std::vector<Alike> ranked = index.rank(report.seen, 0);
  const auto place =
      std::find_if(ranked.begin(), ranked.end(), [&](const Alike& one) { return accepted(one.cause); }) -
      ranked.begin();
  const auto add = [&](Counted& to) {
    ++to.reports;
    to.first += place < 1 ? 1 : 0;
    to.third += place < 3 ? 1 : 0;
    to.fifth += place < 5 ? 1 : 0;
  };
  add(out.all);
  if (ranked.front().likeness >= very_alike) add(out.alike);
  const Diagnosis alone = diagnose(report.seen);
  if (alone.findings.empty() || alone.findings.front().score < confident ||
      !accepted(alone.findings.front().cause))
    return;
  ++out.confident;
  const std::vector<Finding> beside = diagnose(report.seen, index).findings;
  out.doubted += std::any_of(beside.begin(), beside.end(), [&](const Finding& one) {
    return one.cause == alone.findings.front().cause && !one.doubt.empty();
  });
}

std::string row(const char* name, const Counted& counted) {
  const auto share = [&](int part) {
    return fmt::format("{} ({:.0f}%)", part, 100.0 * part / counted.reports);
  };
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, counted.reports, share(counted.first),
                     share(counted.third), share(counted.fifth));
}

TEST(HeldOut, ReportsOfOtherSetsNameTheCauseMostly) {
  const std::vector<KnownReport> reports = known_reports();
  const std::map<std::string, std::size_t> part_of = parts_of(reports);
  Worth worth;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto is_held = [&](const KnownReport& one) {
      return one.set != "typical" && part_of.at(one.set) == part;
    };
    std::set<std::string> sources;
    for (const KnownReport& one : reports)
      if (is_held(one) && !one.source.empty()) sources.insert(one.source);
    std::vector<KnownReport> others;
    for (const KnownReport& one : reports)
      if (!is_held(one) && !sources.contains(one.source)) others.push_back(one);
    const ReportIndex index(others);
    for (const KnownReport& one : reports)
      if (is_held(one) && !one.causes.empty()) count(one, index, worth);
  }
  std::string table =
      "| reports, each beside those of other sets | count | its cause is the first | among three | among five |\n"
      "|---|---|---|---|---|\n";
  table += row("whose cause has a name", worth.all);
  table += row("of them, where the likeness is .4 or more", worth.alike);
  table +=
      fmt::format("\nOf {} right and confident findings {} are doubted.\n", worth.confident, worth.doubted);
  EXPECT_GE(worth.all.first, .64 * worth.all.reports) << table;
  EXPECT_GE(worth.all.third, .82 * worth.all.reports) << table;
  EXPECT_GE(worth.alike.first, .8 * worth.alike.reports) << table;
  EXPECT_LE(worth.doubted, .08 * worth.confident) << table;
  expect_part(docs / "diagnosis.md", "alike", table);
}

}  // namespace
}  // namespace gpugauge::diagnose
