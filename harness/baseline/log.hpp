// What was decided about a baseline, by whom and why: an append-only log beside its manifest.
//
// One JSON object a line. Each line names the SHA-256 of the line before it, and a small head file names the
// last one, so that a changed, removed or cut line is noticed whenever the baseline is read. A line that a
// kill or a power cut left unfinished behind that one is no decision: it is passed over, and the next one
// takes its place.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::baseline {

/// What "schema" must be in every line of a log.
inline constexpr std::string_view log_schema = "gpugauge.baseline-log/1";

/// candidate: kept, never selected by itself. active: selected. retired: kept for the record, never selected.
enum class State { candidate, active, retired };
/// The word in a log and in listings: "candidate", "active", "retired".
std::string_view to_string(State state);

/// A change of one metric that somebody decided to live with.
struct AcceptedChange {
  std::string metric;    ///< result::metric_key
  std::string unit;      ///< one of result::units
  double old_value = 0;  ///< centre of the baseline, in unit
  double new_value = 0;  ///< what the run measured, in unit
  std::string run_id;    ///< the run that showed it
  std::string expires;   ///< UTC day, "2027-01-31": the last one on which it counts; "" = never
  /// UTC, RFC 3339: the first start of a run for which it counts; "" = LogEntry::time.
  std::string since{};

  bool operator==(const AcceptedChange&) const = default;  ///< member by member, values exactly
};

/// One decision.
struct LogEntry {
  std::string time;                        ///< UTC, RFC 3339
  std::string who;                         ///< user and host, as the system names them
  std::string reason;                      ///< one sentence, in the words of whoever decided
  std::optional<State> state;              ///< the state from now on
  std::optional<AcceptedChange> accepted;  ///< the change that is lived with from now on
  /// The baseline came from another place: what was accepted there, before this, holds there.
  bool imported = false;

  bool operator==(const LogEntry&) const = default;  ///< member by member
};

/// The log of a baseline folder, oldest first. Throws result::FormatError for a line that is malformed, does
/// not follow from the one before it or is missing at the end, for a missing head, and where there is no log:
/// every baseline has one.
std::vector<LogEntry> read_log(const std::filesystem::path& folder);

/// Appends under a lock, and syncs. Reads the log first and refuses to extend one that is damaged, or that
/// would be longer than is read afterwards. Throws result::FormatError or result::FileError.
void append_log(const std::filesystem::path& folder, const std::vector<LogEntry>& entries);

/// The state after the last decision: active without any.
State state_of(const std::vector<LogEntry>& log);

/// The accepted change of a metric that counts for a run that started at `when` (RFC 3339, UTC): the newest
/// one that was made since the baseline came here. It takes the place of those before it for good, so that
/// nullptr is returned when it has expired; `expired`, where given, takes it then. nullptr also where there
/// is none, and where the run started before the change was accepted or seen: a clock that was set back
/// brings nothing back.
const AcceptedChange* accepted_on(const std::vector<LogEntry>& log, std::string_view metric,
                                  std::string_view when, const AcceptedChange** expired = nullptr);

/// Now, UTC, RFC 3339 with whole seconds.
std::string utc_now();

/// "root@node3" of this process, for LogEntry::who.
std::string current_user();

}  // namespace gpugauge::baseline
