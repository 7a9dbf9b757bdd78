// A statement of the doctor about a stack: a named cause, its evidence and the next command.
#pragma once

#include <string>
#include <vector>

namespace gpugauge::stack {

/// failure: it does not work, or the vendor calls it unsupported. warning: it works, but something will be
/// slower, break at the next step, or violates the chosen policy. note: worth knowing; never counts.
enum class Severity { failure, warning, note };
const char* to_string(Severity severity);  ///< the enumerator's name

/// One statement of the doctor about a stack.
struct Finding {
  std::string cause;                   ///< a name of docs/findings.md, lower case with underscores
  Severity severity = Severity::note;  ///< the worst, if a cause was found several times
  std::string title;                   ///< one line, at most 100 characters, no full stop
  std::string explanation;             ///< one paragraph: its meaning on this machine
  /// One observation each, with its source: "libcuda 580.65.06 (/usr/lib/...)".
  std::vector<std::string> evidence;
  std::vector<std::string> considered;  ///< other possible causes, and why they do not apply
  std::vector<std::string> next;        ///< commands or steps, most useful first
  std::vector<std::string> sources;     ///< sources of the rule
  std::vector<std::string> layers;  ///< affected layers: "driver", "cuda", "cudnn", "nccl", "framework", ...

  bool operator==(const Finding&) const = default;  ///< member by member
};

}  // namespace gpugauge::stack
