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

std::vector<HealthFinding> health_findings(const std::vector<Device>& devices,
                                           const std::vector<HealthPoint>& points) {
  std::map<std::int64_t, const Device*> known;
  for (const Device& device : devices) known.emplace(device.id, &device);
  std::vector<HealthFinding> out;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> open;  // the stretch that a further run joins
  for (const HealthPoint& point : points) {
    const auto device = known.find(point.device);
    if (device == known.end()) continue;
    const std::pair key{point.device, point.subject};
    const auto stretch = open.find(key);
    if (point.kind == judge::VerdictKind::ok) {
      if (stretch != open.end()) {
        out[stretch->second].well = point.started;
        open.erase(stretch);
      }
      continue;
    }
    if (stretch == open.end()) {
      open.emplace(key, out.size());
      out.push_back({*device->second, point.subject, point.kind, point.started, point.run_id, point.started,
                     point.reason, 1, ""});
      continue;
    }
    HealthFinding& finding = out[stretch->second];
    ++finding.runs;
    finding.latest = point.started;
    if (failed(finding) && point.kind != judge::VerdictKind::failed) continue;
    finding.kind = point.kind;
    finding.reason = point.reason;
  }
  std::stable_sort(out.begin(), out.end(), [](const HealthFinding& a, const HealthFinding& b) {
    return std::tuple(!a.well.empty(), !failed(a), b.started) <
           std::tuple(!b.well.empty(), !failed(b), a.started);
  });
  return out;
}

}  // namespace gpugauge::store
