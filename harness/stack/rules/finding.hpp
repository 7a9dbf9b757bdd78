// What the doctor says about a stack: a named cause, its evidence and the next command.
#pragma once

#include <string>
#include <vector>

namespace gpugauge::stack {

/// failure: it does not work, or the vendor says that it is unsupported. warning: it works, and something
/// will be slower, break at the next step, or is against the chosen policy. note: worth knowing; never
/// counts.
enum class Severity { failure, warning, note };
const char* to_string(Severity severity);  ///< the enumerator's name

/// One thing that the doctor says about a stack.
struct Finding {
  std::string cause;                   ///< a name of docs/findings.md, lower case with underscores
  Severity severity = Severity::note;  ///< of a cause that was found several times, the worst
  std::string title;                   ///< one line, at most 100 characters, no full stop
  std::string explanation;             ///< one paragraph: what it means here
  std::vector<std::string> evidence;   ///< what was seen, each with where: "libcuda 580.65.06 (/usr/lib/...)"
  std::vector<std::string> considered;  ///< what else it could be, and why it is not
  std::vector<std::string> next;        ///< commands or steps, most useful first
  std::vector<std::string> sources;     ///< where the rule was read
  std::vector<std::string> layers;  ///< layers concerned: "driver", "cuda", "cudnn", "nccl", "framework", ...

  bool operator==(const Finding&) const = default;  ///< member by member
};

}  // namespace gpugauge::stack
