// Baselines: K accepted runs of one key, each pinned by its content hash and never replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/log.hpp"
#include "result/run_file.hpp"

namespace gpugauge::baseline {

/// Required value of "schema" in a manifest.
inline constexpr std::string_view baseline_schema = "gpugauge.baseline/1";

/// One pinned run.
struct Entry {
  std::string file;         ///< relative to the baseline's folder: "runs/<id>.json"
  std::string sha256;       ///< SHA-256 of the file's bytes, 64 hex digits
  std::string run_id;       ///< 26 characters, as result::Run::id; unique in a manifest
  std::string boot_id;      ///< as result::Run::boot_id: which rounds share a boot
  std::string started;      ///< UTC, RFC 3339, as result::Run::started
  std::uint64_t bytes = 0;  ///< size of the file
};

/// The manifest of a baseline folder (baseline.json).
struct Manifest {
  std::string name;            ///< folder name, given by the user or made from the key
  std::string created;         ///< UTC, RFC 3339
  std::string key;             ///< digest of the fields that must match
  std::string profile;         ///< as result::Run::profile; the same in every run
  std::string device;          ///< as result::Run::device; the same in every run
  std::vector<Entry> entries;  ///< at least one, in the order given
  /// True if the rounds come from fewer than 3 known boots and fewer than 3 UTC days. The baseline then does
  /// not show how this machine differs from boot to boot, and small changes may be just that.
  bool provisional() const;
};

/// Least number of rounds for a baseline to decide anything.
inline constexpr int minimum_rounds = 5;

/// A loaded baseline: manifest, all runs and the log of decisions, hashes verified.
struct Baseline {
  Manifest manifest;              ///< every entry verified against its run
  std::filesystem::path folder;   ///< where it was created or read
  std::vector<result::Run> runs;  ///< complete runs, one per entry, in their order
  std::vector<LogEntry> log;      ///< oldest first; empty only if no folder was read
  bool other_node = false;        ///< recorded on another node, or that is not known
  /// Families that were taken out of `runs`, because the sources that they are compared with are other ones
  /// (other_sources.hpp). Nothing of them is judged, and nothing is new or missing.
  std::vector<std::string> left_out = {};
  bool provisional() const;  ///< as Manifest::provisional, from the runs
};

/// Whether the baseline comes from another node than `now`: another card of the model, another host, or a
/// site's or shipped folder. Compares `device` (as result::Run::device): a GPU by its UUID alone; empty = not
/// known. Hosts count as the same if either side lacks its identity.
bool of_another_node(const Baseline& baseline, const result::Fingerprint& now, const std::string& device);
/// Whether two runs come from two cards or, for a host or its links, from two nodes.
bool of_two_machines(const result::Run& a, const result::Run& b);

/// A field that must match and differs; an absent fact has the value "".
struct Mismatch {
  std::string field;  ///< "device.host.cpu_model"
  std::string now;    ///< value in the present run
  std::string then;   ///< value in the run or baseline compared with

  bool operator==(const Mismatch&) const = default;  ///< compares field and both values
};
/// Returns the fields that make two runs incomparable, sorted by name; empty = comparable. fields.cpp holds
/// the table with a reason per row.
std::vector<Mismatch> mismatches(const result::Fingerprint& now, const result::Fingerprint& then);
/// The same for two runs; runs on one card each are reduced to these cards first (card.hpp).
std::vector<Mismatch> mismatches(const result::Run& now, const result::Run& then);
/// The same between each run of one side and each of the other, with the first two values that differ per
/// field. Only this finds a fact that a later run has and the first one lacks, such as a family's hash. The
/// same side given twice shows whether its runs are of one kind.
std::vector<Mismatch> mismatches(const std::vector<result::Run>& now, const std::vector<result::Run>& then);

/// Returns differing fields that are only noted. Settings and topology may be the cause of a change, but do
/// not make another subject. For reports and diagnosis.
std::vector<Mismatch> noted_differences(const result::Fingerprint& now, const result::Fingerprint& then);
/// The same for two runs; runs on one card each are reduced to these cards first (card.hpp).
std::vector<Mismatch> noted_differences(const result::Run& now, const result::Run& then);
/// The same for all runs of two sides: the fields in which a run now has a value that no run had then.
std::vector<Mismatch> noted_differences(const std::vector<result::Run>& now,
                                        const std::vector<result::Run>& then);

/// Returns SHA-256 over the fields that must match, 64 hex digits.
std::string key(const result::Fingerprint& fingerprint);

/// Returns the folder of runs and baselines: GPUGAUGE_STATE, else XDG_STATE_HOME/gpugauge, else
/// HOME/.local/state/gpugauge. The last two must be absolute. Throws result::UsageError naming --state-dir if
/// none is set.
std::filesystem::path state_directory();

/// Whether a word of `--treatment`, such as "driver" or "stack.driver.version", names `field`: the field
/// itself or one above it, with or without the section's name.
bool names(std::string_view treatment, std::string_view field);
/// As names(), and `field` may differ by declaration: never a field of the device or the suite.
bool covers(std::string_view treatment, std::string_view field);
/// Whether a different value means another device: fields of the section device except the host's name, and a
/// card's MIG settings.
bool of_the_device(std::string_view field);
/// Whether a different value means another measurement: profile, sources, GPUs measured together.
bool of_the_suite(std::string_view field);
/// False for a word that can only name the device, the suite or a part of them. Other words may still name a
/// device field ("host.cpus"), which they then do not cover.
bool can_be_treatment(std::string_view word);

/// Folder of baselines imported from other nodes: site/ in the state directory.
std::filesystem::path site_directory();

/// Writes a baseline folder: all run files, then the manifest, so a folder without a manifest is no baseline.
/// Its log starts with `state`, who created it and when, and `reason` if given. If several processes write
/// one folder, one succeeds. Throws result::FileError. Throws result::UsageError if the folder already holds
/// a baseline, there is no run, a run is partial, or a run's id is malformed. Also if two runs are the same
/// or hold one measurement, come from two machines, or differ in kind or selection.
Baseline create(const std::filesystem::path& folder, const std::string& name,
                const std::vector<result::Run>& runs, State state = State::active,
                const std::string& reason = {});

/// Loads and verifies a baseline. Throws result::FormatError naming a file (including the log) that was
/// changed, truncated or is missing, or is not a plain file in the folder.
Baseline load(const std::filesystem::path& folder);

/// Loads the manifest of a folder without its runs. Throws like load.
Manifest load_manifest(const std::filesystem::path& folder);

/// Checks that each run in the manifest exists with the pinned size, without reading it. Throws
/// result::FormatError like load.
void require_sizes(const std::filesystem::path& folder, const Manifest& manifest);

/// Checks that each run in the manifest holds the bytes that were pinned, without parsing them: half a second of
/// processor time for 250 MB. Throws result::FormatError like load.
void require_contents(const std::filesystem::path& folder, const Manifest& manifest);

/// Converts a manifest to JSON; parse_manifest converts it back.
std::string to_json(const Manifest& manifest);
/// Throws result::FormatError for another schema, unknown keys, an empty baseline, or an entry whose file is
/// not runs/ID.json.
Manifest parse_manifest(const std::string& text, const std::string& origin);

/// Finds a baseline: a path to its folder is returned unchanged. A name is searched in this node's own
/// baselines (baselines/ in the state directory), the imported ones (site/) and the shipped ones. Throws
/// result::UsageError if none has it, listing the known names, or if several do.
std::filesystem::path find(const std::string& name);

/// One baseline of a listing.
struct Listed {
  std::filesystem::path folder;        ///< holds baseline.json, which may be unreadable; or see `closed`
  std::string place;                   ///< "own", "site" or "shipped"
  std::optional<Manifest> manifest{};  ///< nullopt if it cannot be read; see fault
  State state = State::active;         ///< after the last decision in its log; active if that cannot be read
  /// Active, but select prefers another one of its place, device, profile and key.
  bool superseded = false;
  std::string fault{};                    ///< why it cannot be read; "" when it can
  std::filesystem::path superseded_by{};  ///< the one that select prefers; empty if none
  bool closed = false;                    ///< the folder cannot be opened, so its content is unknown
};
/// What list() looks at of the runs.
enum class Verify {
  sizes,     ///< whether each is there with its size
  contents,  ///< its bytes, too: see require_contents
};
/// Returns every baseline that select could find, by place and name. A run that was changed makes a `fault` and changes
/// no other baseline: select prefers the changed one still, and cannot read it. Throws result::FileError, as find and
/// select do, if the folder that holds them is a link in the state folder.
std::vector<Listed> list(Verify verify = Verify::sizes);

/// How a baseline is made on any node, also on one of several GPUs: for the end of a sentence.
inline constexpr std::string_view how_to_make_one =
    "`gpugauge baseline create --device 0` makes one of GPU 0, --device host one of the host";

/// True if find() takes `name` as a folder and not as a baseline's name.
bool names_folder(const std::string& name);

/// The baseline to compare with. The search order is: `given` if not empty; this node's own (state
/// directory); a site's, imported from another node; one shipped with GPUGauge (GPUGAUGE_BASELINES, else
/// ../share/gpugauge/baselines beside the command's real path). Only active ones are selected; a given one
/// may have any state, and `origin` says which.
///
/// If several fit, one with minimum_rounds comes first, then the newest, then the first by name.
///
/// An own baseline must have the same device, profile and suite, and all fields must match. If there is none,
/// one that differs only in `stack` fields is returned, so that an upgrade gives a named mismatch and is not
/// ignored. If no place has one of this suite, one is returned that differs only in `stack` fields and in the
/// sources of families, for the same reason: GPUGauge was upgraded. Another node's, in a home that they share, is
/// then only told of. For site and shipped baselines every field must match, but the card may be another of the
/// model; one of the site whose families have other sources is returned as an own one is, after it. `device` ("host"
/// or a GPU's UUID) restricts own baselines to that device; empty = any.
struct Selection {
  /// nullopt: none was found; only correctness and physical limits can be judged.
  std::optional<Baseline> baseline;
  std::string origin;                 ///< sentence that is always printed
  std::string not_compared;           ///< takes its place where `baseline` proves not to be comparable
  std::vector<std::string> problems;  ///< baselines that were found but cannot be used, and why
  /// Why an own baseline that is, or may be, of this device and profile cannot be read; "" if there is none,
  /// or another own one would be preferred. The pinned values then cannot be checked: no pass.
  std::string damaged;
  /// Of a MIG instance without a baseline: that one of its whole card is in force, and what to do; else "".
  /// Somebody expects that card to be compared, so that this is no pass either.
  std::string of_whole_card = {};

  /// Forms both sentences on `baseline`: `what` it is, as "this machine's own baseline gold (5 rounds)", and
  /// a further sentence on it, "" where there is none.
  void tell(const std::string& what, const std::string& further = "");
};
/// Selects a baseline. Families whose sources are not those of `fingerprint` are left out of it, where others
/// are (Baseline::left_out). Throws like load for a given one; others that cannot be read go to `problems`.
Selection select(const std::filesystem::path& given, const result::Fingerprint& fingerprint,
                 const std::string& device = {});

}  // namespace gpugauge::baseline
