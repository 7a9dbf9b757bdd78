// Removes names from a node's comparison with a lock.
#include <array>
#include <utility>

#include "result/text.hpp"
#include "stack/plan/redact.hpp"
#include "stack/rules/support.hpp"

namespace gpugauge::stack {
LockReport redacted(LockReport report, Redactor& redactor) {
  for (std::vector<Drift>* drifts : {&report.drifts, &report.unknown})
    for (Drift& drift : *drifts) {
      // Replace the longer value first: the other may be its beginning.
      std::array<std::string*, 2> values{&drift.expected, &drift.found};
      if (values[0]->size() < values[1]->size()) std::swap(values[0], values[1]);
      for (std::string* value : values) {
        const std::string original = *value;
        *value = redactor.value(drift.key, original);
        drift.sentence = result::replaced(std::move(drift.sentence), printable(original), printable(*value));
      }
      if (drift.kind == DriftKind::unreadable) drift.sentence = redactor.path(drift.sentence);
    }
  return report;
}

}  // namespace gpugauge::stack
