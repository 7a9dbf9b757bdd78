// The decisions on a baseline, with author and reason: an append-only log beside its manifest.
//
// One JSON object per line. Each line holds the SHA-256 of the previous line, and a small head file that of
// the last one. Reading the baseline thus detects a changed, removed or truncated line. An unfinished line
// after the last one, left by a kill or power failure, is ignored and replaced by the next entry.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::baseline {

/// Required value of "schema" in every line of a log.
inline constexpr std::string_view log_schema = "gpugauge.baseline-log/1";

/// candidate: kept, never selected automatically. active: selected. retired: kept for the record, never
/// selected.
enum class State { candidate, active, retired };
/// The word in a log and in listings: "candidate", "active", "retired".
std::string_view to_string(State state);

/// An accepted change of one metric.
struct AcceptedChange {
  std::string metric;    ///< result::metric_key
  std::string unit;      ///< one of result::units
  double old_value = 0;  ///< the baseline's centre, in unit
  double new_value = 0;  ///< the run's value, in unit
  std::string run_id;    ///< the run that showed it
  std::string expires;   ///< last UTC day on which it applies, "2027-01-31"; "" = no expiry
  /// UTC, RFC 3339: applies to runs started from then on; "" = LogEntry::time.
  std::string since{};

  bool operator==(const AcceptedChange&) const = default;  ///< compares all members
};

/// One decision.
struct LogEntry {
  std::string time;                        ///< UTC, RFC 3339
  std::string who;                         ///< user and host, as the system reports them
  std::string reason;                      ///< one sentence, in the author's words
  std::optional<State> state;              ///< new state, if it changes
  std::optional<AcceptedChange> accepted;  ///< change accepted by this entry
  /// The baseline was imported; changes accepted earlier apply only where they were accepted.
  bool imported = false;

  bool operator==(const LogEntry&) const = default;  ///< compares all members
};

/// Reads the log of a baseline folder, oldest entry first. Throws result::FormatError for a malformed line,
/// one that does not follow from the previous line, a missing last line, or a missing head or log: every
/// baseline has a log.
std::vector<LogEntry> read_log(const std::filesystem::path& folder);

/// Appends entries under a lock and syncs. Throws result::FormatError or result::FileError, also if the
/// existing log is damaged or would become too long to be read again.
void append_log(const std::filesystem::path& folder, const std::vector<LogEntry>& entries);

/// The state after the last decision; active without any.
State state_of(const std::vector<LogEntry>& log);

/// Returns the accepted change of a metric in force for a run started at `when` (RFC 3339, UTC): the newest
/// one made after the baseline was imported here. It replaces earlier ones for good: once it has expired,
/// returns nullptr and sets `*expired` if given. nullptr also if there is none, or the run started before the
/// change was accepted or seen: setting back a clock has no effect.
const AcceptedChange* accepted_on(const std::vector<LogEntry>& log, std::string_view metric,
                                  std::string_view when, const AcceptedChange** expired = nullptr);

/// "root@node3" of this process, for LogEntry::who.
std::string current_user();

}  // namespace gpugauge::baseline
