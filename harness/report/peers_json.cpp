#include "report/peers_json.hpp"

namespace gpugauge::report {

nlohmann::ordered_json peer_verdict_json(const judge::Verdict& verdict) {
  nlohmann::ordered_json out{{"metric", verdict.metric},
                             {"verdict", to_string(verdict.kind)},
                             {"class", verdict.metric_class},
                             {"unit", verdict.unit},
                             {"better", to_string(verdict.better)},
                             {"tolerance", verdict.tolerance},
                             {"rounds", verdict.rounds},
                             {"reason", verdict.reason}};
  if (verdict.advisory) out["advisory"] = true;
  if (verdict.value) out["value"] = *verdict.value;
  if (verdict.baseline) out["median_of_nodes"] = *verdict.baseline;
  if (verdict.change) out["change"] = *verdict.change;
  return out;
}

}  // namespace gpugauge::report
