// What the history keeps of one run: its place in time and space, and of every metric the value of each
// process. Batches and telemetry stay in the run file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/peer_round.hpp"
#include "result/run_file.hpp"

namespace gpugauge::store {

/// So many values of one metric in one run are kept at most.
inline constexpr std::size_t most_values = 100'000;

/// One metric of one run.
struct Measured {
  judge::PeerForm form;   ///< which metric; two units are two metrics
  std::string statistic;  ///< result::Metric::statistic
  double median = 0;      ///< over the processes whose values count, in form.unit, > 0; 0 where none does
  std::vector<double> values;  ///< one a process, in the order of the run; only those that count
  /// Where not every process's value counts: those that do, then those that are recorded only
  /// (judge::measured), each > 0. Empty where all count, or none is above 0.
  std::vector<double> recorded;
  std::string not_judged;  ///< why some process's value does not count; "" where all do
};

/// A run as the history keeps it. Its texts are UTF-8 without NUL, and of a length that every database takes,
/// but for names of metrics and benchmarks (Database::kept_name).
struct Record {
  std::string content_hash;      ///< SHA-256 of the file's bytes, 64 hex digits
  std::string source;            ///< the file it came from, as it was named
  std::string node;              ///< what the site calls the node; "" = unnamed
  std::string identity;          ///< of the device: UUIDs of the GPUs, or "host"
  std::string started;           ///< UTC, "2026-01-31T04:05:06Z": sorts by time
  std::string boot_id;           ///< judge::Sighting::boot
  std::string host_identity;     ///< baseline::host_identity_fact; "" where it is not known
  std::string host_name;         ///< judge::Sighting::name
  bool named_by_folder = false;  ///< `node` is a folder's name, or "": nobody said that it is this machine's
  std::string profile;           ///< profile_of() it: what differs in it is another series
  int round = 1;                 ///< result::Run::round: 1 measured everything, later ones what was in doubt
  double wall_seconds = 0;       ///< of the whole round
  judge::PeerRound peer;         ///< for the comparison of nodes; `values` is not used
  std::string facts;             ///< the fingerprint as JSON
  std::string facts_hash;        ///< SHA-256 of `facts`
  std::vector<Measured> measured;  ///< by key
};

/// What the history calls the device of a run: UUIDs of the GPUs, or "host".
std::string identity_of(const result::Run& run);

/// What the history calls the profile of a run: its own, with what else the suite was told (GPUs together,
/// sustained load), since the judge compares no two of these, and of another program's file that program.
std::string profile_of(const result::Run& run);
/// The same of a run's own profile and its fingerprint.
std::string profile_of(const std::string& profile, const result::Fingerprint& facts);

/// Reduces a run to its record. `content_hash`: baseline::sha256 of its file. Throws result::FormatError,
/// naming `source`, when the run does not say when it started, has neither a value nor a fault, or holds a
/// text that is longer than a history keeps.
Record record_of(const result::Run& run, std::string content_hash, const std::string& source,
                 const std::string& node);

/// "2026-01-31T05:05:06.7+01:00" -> "2026-01-31T04:05:06Z"; nullopt for what is no time of RFC 3339.
std::optional<std::string> utc_time(std::string_view text);

/// True for a day of the calendar written as "2026-01-31".
bool is_day(std::string_view text);
/// The day after: "2026-02-28" -> "2026-03-01". `day` must be one.
std::string day_after(std::string_view day);

/// A fingerprint as the store writes it, and back. Throws result::FormatError for another text.
std::string facts_text(const result::Fingerprint& fingerprint);
/// `origin` names the place in sentences.
result::Fingerprint fingerprint_from(const std::string& text, const std::string& origin);

}  // namespace gpugauge::store
