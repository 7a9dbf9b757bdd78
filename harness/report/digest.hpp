// Reduces a result to cases that pass, fail, are in doubt or could not be judged: the model of CI servers.
// Every format that lists cases is made from this, so that all say the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/reporter.hpp"

namespace gpugauge::report {

/// How a CI server shows a case, worst first.
enum class CaseState {
  failed,   ///< counts against the device or node: exit code 1
  error,    ///< could not be run or judged: exit code 3
  skipped,  ///< inconclusive, unstable, suspect, or advisory; reason says which
  passed,
};

/// One metric, family, node or cause as a test case.
struct Case {
  std::string suite;                    ///< class of the metric, family, or a stand-in for them
  std::string name;                     ///< metric, family, node or cause
  CaseState state = CaseState::passed;  ///< failed or error only if the outcome is no pass
  std::string word;                     ///< "regressed", "inconclusive, advisory", "suspect"
  std::string reason;                   ///< one sentence, or several
  std::string unit = {};                ///< of value and baseline, one of result::units; "" without figures
  std::optional<double> value = {};     ///< now
  std::optional<double> baseline = {};  ///< centre of the baseline, or of the nodes
  std::optional<double> change = {};    ///< relative, + is worse
  std::optional<double> share = {};     ///< of the physical limit; 1 = at the limit
};

/// A cause that the diagnosis named, or, where no GPU is usable, the doctor.
struct DigestFinding {
  std::string cause;                  ///< its name in the catalogue of causes, or of the doctor's findings
  std::string title;                  ///< one line, "" where there is none
  std::optional<double> score;        ///< 0 to 1; absent for the doctor's, which follow from rules
  bool confident = false;             ///< score >= diagnose::confident; true for the doctor's
  std::vector<std::string> evidence;  ///< one fact per entry, best first
  std::vector<std::string> next;      ///< what to type or do
  std::string node = {};              ///< of which node of a fleet; "" for the part's own
};

/// How sure it is: "0.92, confident", "0.50, likely, not proven" or "by the doctor".
std::string certainty(const DigestFinding& finding);

/// One device, one kind of nodes, or the whole node.
struct DigestPart {
  std::string id;          ///< GPU's UUID, "host", "node", "fleet"
  std::string label;       ///< for people
  std::string started;     ///< RFC 3339, "" if unknown
  double seconds = 0;      ///< wall time, measuring and waiting; 0 where nothing was measured
  judge::Outcome outcome;  ///< of this part; for the whole node, of everything
  /// Sentences: what it was compared with, what disturbed it, what stays open.
  std::vector<std::string> remarks;
  std::vector<DigestFinding> findings;  ///< best first; empty without a diagnosis
  std::vector<Case> cases;              ///< worst first
};

/// The whole result as cases.
struct Digest {
  std::string command;     ///< "check", "compare", "upgrade", "fleet" or "diagnosis"
  std::string host;        ///< name of the node; "" where it is not known, and of a fleet
  judge::Outcome outcome;  ///< what the command exits with
  std::vector<std::pair<std::string, std::string>> facts;  ///< the stack: layer and version
  std::vector<DigestPart> parts;  ///< the whole node first, if there is something to say about it
};

/// "GPUGauge check".
std::string title(const Digest& digest);
/// "GPUGauge check of node7"; without the node's name as title().
std::string headline(const Digest& digest);

/// Invariant: some case is failed or error exactly if the outcome is not a pass. The CI server's colour and
/// the exit code therefore agree.
Digest digest(const Subject& subject);

/// "pass", "pass so far" (not all is decided), "failed", "regressed", "missing" or "finding" (code 1, by
/// Outcome::found), "error", "cannot judge", "inconclusive".
std::string outcome_word(const judge::Outcome& outcome);

/// Cases of all parts, worst first: failed, error, skipped; within these by change.
std::vector<std::pair<const DigestPart*, const Case*>> worst_cases(const Digest& digest);

/// The gravest verdict of all judges for each metric that counts. An advisory one only if there is no other.
std::vector<const judge::Verdict*> gravest_verdicts(const std::vector<judge::Verdict>& verdicts);

/// Foreign text on one line as result::one_line() makes it, at most `most` bytes. Cuts after a sentence that
/// ends in the second half of the space; otherwise leaves out the middle.
std::string tame(std::string_view text, std::size_t most = 300);

}  // namespace gpugauge::report
