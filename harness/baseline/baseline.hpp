// Baselines: K accepted runs of one key, pinned, never rolling, each with its content hash.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "baseline/log.hpp"
#include "result/run_file.hpp"

namespace gpugauge::baseline {

/// What a manifest's "schema" must be.
inline constexpr std::string_view baseline_schema = "gpugauge.baseline/1";

/// One pinned run.
struct Entry {
  std::string file;         ///< relative to the baseline's folder: "runs/<id>.json"
  std::string sha256;       ///< of the file's bytes, 64 hex digits
  std::string run_id;       ///< 26 characters, as result::Run::id; each once in a manifest
  std::string boot_id;      ///< as result::Run::boot_id: tells rounds of one boot from those of another
  std::string started;      ///< UTC, RFC 3339, as result::Run::started
  std::uint64_t bytes = 0;  ///< size of the file
};

/// The manifest of a baseline folder (baseline.json).
struct Manifest {
  std::string name;            ///< folder name, chosen by the user or made from the key
  std::string created;         ///< UTC, RFC 3339
  std::string key;             ///< digest of the fields that must match
  std::string profile;         ///< as result::Run::profile: the same in every run of it
  std::string device;          ///< as result::Run::device, likewise
  std::vector<Entry> entries;  ///< at least one, in the order in which they were given
  /// Rounds from fewer than 3 known boots and fewer than 3 UTC days: the baseline has not seen how this
  /// machine differs from boot to boot, and small changes may be just that.
  bool provisional() const;
};

/// Rounds below which a baseline decides nothing.
inline constexpr int minimum_rounds = 5;

/// A loaded baseline: manifest, all runs and the log of decisions, hashes verified.
struct Baseline {
  Manifest manifest;              ///< each entry of it verified against its run
  std::filesystem::path folder;   ///< where it was made or read
  std::vector<result::Run> runs;  ///< whole, one for each entry and in their order
  std::vector<LogEntry> log;      ///< oldest first; empty only where no folder was read
  bool other_node = false;        ///< recorded on another node, or none knows whether it was
  bool provisional() const;       ///< as Manifest::provisional, from the runs
};

/// Whether another node than the one of `now` recorded it: another card of the model, another host, or a
/// folder of this site's or the shipped ones. `device` (as result::Run::device) is what is compared, a GPU by
/// its UUID alone; empty = that is not known. Hosts whose identity one side lacks are taken for one.
bool of_another_node(const Baseline& baseline, const result::Fingerprint& now, const std::string& device);
/// Whether two runs are of two cards, or, of a host or its links, of two nodes.
bool of_two_machines(const result::Run& a, const result::Run& b);

/// A field that must match and does not; an absent fact has the value "".
struct Mismatch {
  std::string field;  ///< "device.host.cpu_model"
  std::string now;    ///< value in the run at hand
  std::string then;   ///< value in what it is compared with

  bool operator==(const Mismatch&) const = default;  ///< field and both values
};
/// The fields that make two runs incomparable, sorted by name; empty = comparable. fields.cpp holds the table
/// with the reason of each row.
std::vector<Mismatch> mismatches(const result::Fingerprint& now, const result::Fingerprint& then);
/// The same of two runs: of what they are about, where that is one card each (card.hpp).
std::vector<Mismatch> mismatches(const result::Run& now, const result::Run& then);
/// The same between each run of one side and each of the other, with the first two values that differ of each
/// field. Only this finds what a run in the middle has and the first one lacks: a family's hash. A side given
/// twice shows whether its own runs are of one kind.
std::vector<Mismatch> mismatches(const std::vector<result::Run>& now, const std::vector<result::Run>& then);

/// The same table for fields that are noted only: settings and topology differ as a cause to be found, not as
/// another subject. For reports and diagnosis.
std::vector<Mismatch> noted_differences(const result::Fingerprint& now, const result::Fingerprint& then);
/// The same of two runs: of what they are about, where that is one card each (card.hpp).
std::vector<Mismatch> noted_differences(const result::Run& now, const result::Run& then);

/// SHA-256 over the fields that must match, 64 hex digits.
std::string key(const result::Fingerprint& fingerprint);

/// Where runs and baselines live: GPUGAUGE_STATE, else XDG_STATE_HOME/gpugauge, else
/// HOME/.local/state/gpugauge; of the last two only absolute paths count. Throws result::UsageError when none
/// of them is set, naming --state-dir.
std::filesystem::path state_directory();

/// A word of `--treatment`, such as "driver" or "stack.driver.version": what a comparison is about. It names
/// the field of that name and those below it, with or without the section's name.
bool names(std::string_view treatment, std::string_view field);
/// The same, and the field may differ by declaration: those of the device and of the suite never do.
bool covers(std::string_view treatment, std::string_view field);
/// Fields that make another device of it: all of the section but the name of the host, and a card's MIG.
bool of_the_device(std::string_view field);
/// Fields that make another measurement of it: profile, sources, GPUs that were measured together.
bool of_the_suite(std::string_view field);
/// False for a word that can name nothing but the device, the suite or a part of them. Others can still name
/// a field of the device ("host.cpus"), which they then do not cover.
bool can_be_treatment(std::string_view word);

/// Imported baselines of other nodes: site/ in the state directory.
std::filesystem::path site_directory();

/// Writes a baseline folder: all run files, then the manifest last, so that a folder without manifest is no
/// baseline. Throws result::FileError, or result::UsageError when the folder already holds a baseline, there
/// is no run, a run is partial, two runs are the same or hold one measurement, or their kinds or selections differ.
/// Its log begins with `state`, who made it and when, and `reason`, where given. Of several processes at once one succeeds.
Baseline create(const std::filesystem::path& folder, const std::string& name,
                const std::vector<result::Run>& runs, State state = State::active,
                const std::string& reason = {});

/// Loads and verifies. Throws result::FormatError naming the file that was changed, truncated or is missing
/// (the log included), or that is no plain file inside the folder.
Baseline load(const std::filesystem::path& folder);

/// The manifest of a folder, without its runs. Throws like load.
Manifest load_manifest(const std::filesystem::path& folder);

/// Whether each run that the manifest names is there with as many bytes as were pinned: what can be seen
/// without reading them. Throws result::FormatError as load does.
void require_sizes(const std::filesystem::path& folder, const Manifest& manifest);

/// JSON text of a manifest and back. parse_manifest throws result::FormatError; unknown keys are refused.
std::string to_json(const Manifest& manifest);
/// Refuses (FormatError) another schema, an empty baseline, and an entry whose file is not runs/ID.json.
Manifest parse_manifest(const std::string& text, const std::string& origin);

/// Where a baseline of that name lies: a path to its folder as it is; a name among this node's own
/// (baselines/ in the state directory), the imported ones (site/) and the shipped ones, in this order. Throws
/// result::UsageError when there is none, listing the names that there are.
std::filesystem::path find(const std::string& name);

/// One baseline of a listing.
struct Listed {
  std::filesystem::path folder;        ///< holds baseline.json, which may be unreadable
  std::string place;                   ///< "own", "site" or "shipped"
  std::optional<Manifest> manifest{};  ///< nullopt where it cannot be read: fault says why
  State state = State::active;  ///< after the last decision of its log; active where that could not be read
  /// Active, and select would take another one of its place, device, profile and key.
  bool superseded = false;
  std::string fault{};                    ///< why it cannot be read; "" when it can
  std::filesystem::path superseded_by{};  ///< the one that select would take; empty where none is
  bool closed = false;  ///< no look into the folder is possible: whether it holds any nobody can tell
};
/// Every baseline that select could come upon, by place and name. The runs are not verified. Throws
/// result::FileError, as find and select do, where the folder of all of them is a link in the state folder.
std::vector<Listed> list();

/// True for what find() takes for a folder and not for a baseline's name.
bool names_folder(const std::string& name);

/// The baseline to compare with: `given` if not empty; else this node's own (state directory); else one of
/// this site, imported from another node; else one shipped with GPUGauge (GPUGAUGE_BASELINES, else
/// ../share/gpugauge/baselines beside the command's real path); else none. Only active ones are selected; one
/// that is given may be in any state, which is said.
///
/// Of several that fit, one that can decide (minimum_rounds) comes before one that cannot, then the newest,
/// then the first by name.
///
/// Own: of the same device, profile and suite, all of whose fields match. Where there is none, one
/// that differs in `stack` fields only is returned, so that an upgrade ends in a named mismatch and
/// never in silence. Site and shipped: every field must match, but the card may be another one of the model.
/// `device`
/// ("host" or a GPU's UUID) narrows own baselines to that device; empty = any.
struct Selection {
  /// nullopt: none was found, and only correctness and physical limits can be judged.
  std::optional<Baseline> baseline;
  std::string origin;                 ///< sentence that is always printed
  std::vector<std::string> problems;  ///< baselines that were found and could not be used, and why
  /// Why an own baseline that is, or may be, of this device and profile cannot be read; "" where none is so
  /// or another own one would have come before it. What was pinned can then not be held: that is no pass.
  std::string damaged;
};
/// Throws like load for a given baseline; others that cannot be read are reported in `problems`.
Selection select(const std::filesystem::path& given, const result::Fingerprint& fingerprint,
                 const std::string& device = {});

}  // namespace gpugauge::baseline
