#include "stack/rules/finding.hpp"

namespace gpugauge::stack {

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::failure:
      return "failure";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

}  // namespace gpugauge::stack
