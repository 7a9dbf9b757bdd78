// A result reduced to cases that pass, fail, are in doubt or could not be judged: what the formats of CI
// servers know. Every format that lists cases is made from this, so that they all say the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/reporter.hpp"

namespace gpugauge::report {

/// How a CI server shows a case; in this order the worst is first.
enum class CaseState {
  failed,   ///< counts against the device or node: exit code 1
  error,    ///< could not be run or judged: exit code 3
  skipped,  ///< inconclusive, unstable, suspect, or advisory; reason says which
  passed,
};

/// One metric, family, node or cause, as one test case.
struct Case {
  std::string suite;                    ///< class of the metric, family, or what stands for them
  std::string name;                     ///< metric, family, node or cause
  CaseState state = CaseState::passed;  ///< failed or error only where the outcome is no pass
  std::string word;                     ///< "regressed", "inconclusive, advisory", "suspect"
  std::string reason;                   ///< one sentence, or several
  std::string unit = {};                ///< of value and baseline, one of result::units; "" without figures
  std::optional<double> value = {};     ///< now
  std::optional<double> baseline = {};  ///< centre of the baseline, or of the nodes
  std::optional<double> change = {};    ///< relative, + is worse
  std::optional<double> share = {};     ///< of the physical limit, 1 = at the limit
};

/// A cause that the diagnosis named.
struct DigestFinding {
  std::string cause;                  ///< its name in the catalogue of causes
  std::string title;                  ///< one line, "" where there is none
  double score = 0;                   ///< 0 to 1
  bool confident = false;             ///< score >= diagnose::confident
  std::vector<std::string> evidence;  ///< one fact each, best first
  std::vector<std::string> next;      ///< what to type or do
};

/// One device, one kind of nodes, or the node as a whole.
struct DigestPart {
  std::string id;                    ///< GPU's UUID, "host", "node", "fleet"
  std::string label;                 ///< for people
  std::string started;               ///< RFC 3339, "" if unknown
  double seconds = 0;                ///< wall time, measuring and waiting; 0 where nothing was measured
  judge::Outcome outcome;            ///< of this part; of the node as a whole that of all
  std::vector<std::string> remarks;  ///< sentences: what was compared with, what disturbed, what is left open
  std::vector<DigestFinding> findings;  ///< best first; empty without a diagnosis
  std::vector<Case> cases;              ///< worst first
};

/// The whole result as cases.
struct Digest {
  std::string title;       ///< "GPUGauge check", "... compare", "... fleet", "... diagnosis"
  judge::Outcome outcome;  ///< what the command exits with
  std::vector<std::pair<std::string, std::string>> facts;  ///< the stack: layer and version
  std::vector<DigestPart> parts;  ///< the node as a whole first, where there is something to say of it
};

/// Invariant: a case is failed or an error exactly when the outcome is not a pass, so that a CI server's
/// colour and the exit code agree.
Digest digest(const Subject& subject);

/// "pass", "pass so far" (not all is decided), "failed", "regressed", "missing", "finding" (code 1, by its sentence), "error", "cannot judge",
/// "inconclusive".
std::string outcome_word(const judge::Outcome& outcome);

/// Of all parts, worst first: failed, error, skipped; within them by change.
std::vector<std::pair<const DigestPart*, const Case*>> worst_cases(const Digest& digest);

/// The verdict of each metric that counts: the gravest of all judges; advisory only where there is no other.
std::vector<const judge::Verdict*> gravest_verdicts(const std::vector<judge::Verdict>& verdicts);

/// Foreign text on one line as result::one_line() makes it, at most `most` bytes: whole sentences where one
/// ends in the second half of the room, else the middle is left out.
std::string tame(std::string_view text, std::size_t most = 300);

}  // namespace gpugauge::report
