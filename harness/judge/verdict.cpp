#include "judge/verdict.hpp"

namespace gpugauge::judge {

std::string benchmark_of(const std::string& metric) {
  return metric.substr(0, metric.rfind(':'));
}

bool grave(const Verdict& verdict) {
  return verdict.kind == VerdictKind::failed || verdict.kind == VerdictKind::missing ||
         verdict.kind == VerdictKind::regressed;
}

std::string_view to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::ok:
      return "ok";
    case VerdictKind::regressed:
      return "regressed";
    case VerdictKind::improved:
      return "improved";
    case VerdictKind::inconclusive:
      return "inconclusive";
    case VerdictKind::unstable:
      return "unstable";
    case VerdictKind::new_metric:
      return "new";
    case VerdictKind::missing:
      return "missing";
    case VerdictKind::failed:
      return "failed";
  }
  return "unknown";
}

std::string_view to_string(Judge judge) {
  switch (judge) {
    case Judge::physical:
      return "physical";
    case Judge::baseline:
      return "baseline";
    case Judge::peers:
      return "peers";
  }
  return "unknown";
}

}  // namespace gpugauge::judge
