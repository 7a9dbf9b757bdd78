// A site's own reports, and how alike an observation is to them.
#include "diagnose/alike/known_reports.hpp"

#include "diagnose/diagnose.hpp"
#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  std::vector<diagnose::KnownReport> reports;
  if (!accepted([&] { reports = diagnose::parse_known_reports(std::string(bytes), "ours.json"); })) return;
  const diagnose::ReportIndex index(reports);
  for (const diagnose::KnownReport& report : reports) {
    require(!report.causes.empty(), "a known report has no cause");
    double before = 1;
    for (const diagnose::Alike& one : index.rank(report.seen, 2)) {
      require(one.likeness >= 0 && one.likeness <= before, "causes are not in the order of their likeness");
      require(index.knows(one.cause), "a cause is ranked that has no report");
      before = one.likeness;
    }
    const diagnose::Diagnosis found = diagnose::diagnose(report.seen, index);
    require(found.alike.size() <= diagnose::alike_most, "more causes are alike than may be");
  }
}

const Target target("known_reports", read);

}  // namespace
}  // namespace gpugauge::fuzz
