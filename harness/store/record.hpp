// What the history keeps of one run: when and where it ran, and each process's value of every metric. Batches
// and telemetry stay in the run file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/peer_round.hpp"
#include "result/run_file.hpp"

namespace gpugauge::store {

/// The most values of one metric in one run that are kept.
inline constexpr std::size_t most_values = 100'000;

/// One metric of one run.
struct Measured {
  judge::PeerForm form;   ///< which metric; two units are two metrics
  std::string statistic;  ///< result::Metric::statistic
  double median = 0;      ///< over the processes whose values count, in form.unit, > 0; 0 if no value counts
  std::vector<double> values;  ///< one per process, in the order of the run; only those that count
  /// Set only if some process's value does not count. Holds the values that count, then those that are only
  /// recorded (judge::measured), each > 0. Empty where all values count or no value is above 0.
  std::vector<double> recorded;
  std::string not_judged;  ///< why some process's value does not count; "" where all count
};

/// A run as the history keeps it. Texts are UTF-8 without NUL, short enough for every database. Names of
/// metrics and benchmarks may be longer (Database::kept_name).
struct Record {
  std::string content_hash;   ///< SHA-256 of the file's bytes, 64 hex digits
  std::string source;         ///< the file it came from, as the user named it
  std::string node;           ///< what the site calls the node; "" = unnamed
  std::string identity;       ///< of the device: UUIDs of the GPUs, or "host"
  std::string started;        ///< UTC, "2026-01-31T04:05:06Z": sorts by time
  std::string boot_id;        ///< judge::Sighting::boot
  std::string host_identity;  ///< baseline::host_identity_fact; "" where it is not known
  std::string host_name;      ///< judge::Sighting::name
  /// `node` is a folder's name or ""; nobody stated that it is this machine's name.
  bool named_by_folder = false;
  std::string profile;  ///< profile_of() the run; another profile is another series
  /// result::Run::round: 1 measured everything, later ones only doubtful metrics.
  int round = 1;
  double wall_seconds = 0;         ///< of the whole round
  judge::PeerRound peer;           ///< for the comparison of nodes; its `values` is not used
  std::string facts;               ///< the fingerprint as JSON
  std::string facts_hash;          ///< SHA-256 of `facts`
  std::vector<Measured> measured;  ///< sorted by key
};

/// The history's name for the device of a run: UUIDs of the GPUs, or "host".
std::string identity_of(const result::Run& run);

/// The history's name for the profile of a run: its own, plus the other options of the suite (GPUs together,
/// sustained load). The judge compares no two runs that differ in these. For another program's file it
/// includes that program.
std::string profile_of(const result::Run& run);
/// Builds that name from a run's own profile and its fingerprint.
std::string profile_of(const std::string& profile, const result::Fingerprint& facts);

/// Reduces a run to its record. `content_hash`: baseline::sha256 of its file. Throws result::FormatError,
/// naming `source`, if the run has no start time, or neither a value nor a fault. Throws it too for a text
/// that is too long for a history.
Record record_of(const result::Run& run, std::string content_hash, const std::string& source,
                 const std::string& node);

/// A fingerprint as the store writes it.
std::string facts_text(const result::Fingerprint& fingerprint);
/// Parses such a text. `origin` names its place in sentences. Throws result::FormatError for an invalid one.
result::Fingerprint fingerprint_from(const std::string& text, const std::string& origin);

}  // namespace gpugauge::store
