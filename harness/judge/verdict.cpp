#include "judge/verdict.hpp"

namespace gpugauge::judge {

bool grave(VerdictKind kind) {
  return kind == VerdictKind::failed || kind == VerdictKind::missing || kind == VerdictKind::regressed;
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

std::optional<VerdictKind> verdict_kind(std::string_view word) {
  for (const VerdictKind kind :
       {VerdictKind::ok, VerdictKind::regressed, VerdictKind::improved, VerdictKind::inconclusive,
        VerdictKind::unstable, VerdictKind::new_metric, VerdictKind::missing, VerdictKind::failed})
    if (word == to_string(kind)) return kind;
  return std::nullopt;
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
