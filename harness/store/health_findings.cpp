#include "store/health_findings.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace gpugauge::store {
namespace {

bool failed(const HealthFinding& finding) {
  return finding.kind == judge::VerdictKind::failed;
}

}  // namespace

void add_health_findings(std::vector<HealthFinding>& findings, const Device& device,
                         const std::vector<HealthPoint>& points) {
  std::map<std::string, std::size_t> open;  // by subject, the stretch that a further run joins
  for (const HealthPoint& point : points) {
    const auto stretch = open.find(point.subject);
    if (point.kind == judge::VerdictKind::ok) {
      if (stretch != open.end()) {
        findings[stretch->second].well = point.started;
        open.erase(stretch);
      }
      continue;
    }
    if (stretch == open.end()) {
      open.emplace(point.subject, findings.size());
      findings.push_back({device, point.subject, point.kind, point.started, point.run_id, point.started,
                          point.reason, 1, ""});
      continue;
    }
    HealthFinding& finding = findings[stretch->second];
    ++finding.runs;
    finding.latest = point.started;
    if (failed(finding) && point.kind != judge::VerdictKind::failed) continue;
    finding.kind = point.kind;
    finding.reason = point.reason;
  }
}

void put_gravest_first(std::vector<HealthFinding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const HealthFinding& a, const HealthFinding& b) {
    return std::tuple(!a.well.empty(), !failed(a), b.started) <
           std::tuple(!b.well.empty(), !failed(b), a.started);
  });
}

}  // namespace gpugauge::store
