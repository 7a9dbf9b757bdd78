// Baselines: K accepted runs of one key, pinned, never rolling, each with its content hash.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "result/run_file.hpp"

namespace gpugauge::baseline {

inline constexpr std::string_view baseline_schema = "gpugauge.baseline/1";

/// One pinned run.
struct Entry {
  std::string file;    ///< relative to the baseline's folder: "runs/<id>.json"
  std::string sha256;  ///< of the file's bytes, 64 hex digits
  std::string run_id;
  std::string boot_id;
  std::string started;
};

/// The manifest of a baseline folder (baseline.json).
struct Manifest {
  std::string name;      ///< folder name, chosen by the user or made from the key
  std::string created;   ///< UTC, RFC 3339
  std::string key;       ///< digest of the fields that must match
  std::string profile;
  std::string device;    ///< "host" or a GPU UUID
  std::vector<Entry> entries;
};

/// A loaded baseline: manifest and all runs, hashes verified.
struct Baseline {
  Manifest manifest;
  std::filesystem::path folder;
  std::vector<result::Run> runs;
  /// Fewer than 3 different boots or UTC days: verdicts from it are advisory in a GPU judgement (VERDICT: provisional).
  bool provisional() const;
};

/// Which fields must match between a run and a baseline, with both values; empty = comparable.
struct Mismatch {
  std::string field;  ///< "device.host.cpu_model"
  std::string now;
  std::string then;
};
std::vector<Mismatch> mismatches(const result::Fingerprint& now, const result::Fingerprint& then);

/// Digest of the fields that must match.
std::string key(const result::Fingerprint& fingerprint);

/// Where runs and baselines live: GPUGAUGE_STATE, else XDG_STATE_HOME/gpugauge, else HOME/.local/state/gpugauge.
/// Throws result::UsageError when none of them is set, naming --state-dir.
std::filesystem::path state_directory();

/// Writes a baseline folder: all run files, then the manifest last, so that a folder without manifest is no baseline.
/// Throws result::FileError, or result::UsageError when the folder already holds a baseline.
Baseline create(const std::filesystem::path& folder, const std::string& name, const std::vector<result::Run>& runs);

/// Loads and verifies. Throws result::FormatError naming the file that was changed, truncated or is missing.
Baseline load(const std::filesystem::path& folder);

/// The baseline to compare with: `given` if not empty; else this node's own (state directory) of the same key; else one
/// shipped beside the command (../share/gpugauge/baselines); else none. Folders that cannot be read are reported.
struct Selection {
  std::optional<Baseline> baseline;
  std::string origin;                 ///< sentence that is always printed
  std::vector<std::string> problems;  ///< baselines that were found and could not be used, and why
};
Selection select(const std::filesystem::path& given, const result::Fingerprint& fingerprint);

}  // namespace gpugauge::baseline
