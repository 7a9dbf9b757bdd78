// Decides whether each stored verdict still applies to the machine as it is now. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/stored_verdict.hpp"

namespace gpugauge::judge {

/// A stored verdict, and its library files that changed since ("libcuda 570.86 then, 580.65 now").
struct Kept {
  StoredVerdict verdict;             ///< as it was read from the node
  std::vector<std::string> changed;  ///< one entry per library; empty if none changed or none was checked
  /// Why the file cannot be read, a clause with what to do; "" if it was read. Of `verdict` only device and
  /// label are then known.
  std::string unreadable{};
};

/// The machine's present state, as far as the kernel shows it without starting a GPU.
struct Present {
  std::string boot_id;         ///< the kernel's; "" if it gives none
  double unix_seconds = 0;     ///< since 1970, UTC
  bool nvidia = false;         ///< NVIDIA hardware, driver or device node is present
  bool gpus_listed = false;    ///< false: the GPUs cannot be listed, so none is reported missing
  std::vector<SeenGpu> gpus;   ///< all GPUs that the kernel shows
  std::string driver_version;  ///< loaded kernel module's, "" without one
  /// Address -> MIG instances that the card is split into; a card of which that is not known is absent.
  std::map<std::string, std::size_t> instances = {};
};

/// True for a GPU index in a choice of devices: "0", "12".
bool is_index(const std::string& word);
/// Least length of a UUID's beginning that selects a GPU.
inline constexpr std::size_t least_uuid_letters = 8;

/// The devices asked for, and which stored verdicts may count.
struct StatusRequest {
  /// all (every GPU, and their links where they were gauged), links, host, an index, a UUID or its beginning
  std::vector<std::string> devices{"all"};
  std::optional<double> most_seconds;  ///< older verdicts do not count; nullopt = no limit
  std::string profile;  ///< only an unnarrowed verdict of this profile counts; "" = any verdict
  /// Profiles that measure more than `profile`: their failures count beside its verdicts.
  std::vector<std::string> deeper_profiles = {};
  std::string kept_in = {};   ///< folder searched, named if it holds no verdict; "" = not named
  std::string most_age = {};  ///< most_seconds as --max-age took it, for sentences: "26h"; "" = in seconds
};

/// The status of one device.
struct Standing {
  std::string device;                      ///< UUID (else bus address), "links", "host" or "node"
  std::string label;                       ///< for readers: the check's name for it, else the kernel's
  ExitCode code = ExitCode::cannot_judge;  ///< the stored verdict's code, if that still applies
  std::string word;                        ///< "pass", "regressed", "cannot judge", ...
  std::string reason;                      ///< one sentence
  std::vector<std::string> against;        ///< why the stored verdict no longer applies; empty = it does
  /// seconds since the stored verdict; nullopt without one, or if its time cannot be read
  std::optional<double> age_seconds;
  std::optional<StoredVerdict> stored;  ///< nullopt: never gauged
};

/// The status of everything asked for.
struct Status {
  std::vector<Standing> devices;     ///< in the order asked for; the node itself last
  std::vector<std::string> remarks;  ///< reported, not counted
  Outcome outcome;                   ///< the gravest of the devices' outcomes
  std::string host = {};             ///< name of the node, set by who knows it; "" otherwise
};

/// Judges the stored verdicts. A verdict counts if it is from this boot, driver and library files, recent
/// enough, and its device is present. Otherwise the device cannot be judged (3), and each reason is named; so it
/// is where its file cannot be read, which hides no other device. If
/// a GPU is asked for, the last node verdict counts too unless it passed. A GPU that this boot showed earlier
/// and does not show now is reported missing. The outcome is the gravest of all (tool error, regressed,
/// cannot judge, inconclusive, pass). Throws result::UsageError for a UUID beginning that fits several GPUs.
Status judge_status(const std::vector<Kept>& kept, const Present& now, const StatusRequest& request);

}  // namespace gpugauge::judge
