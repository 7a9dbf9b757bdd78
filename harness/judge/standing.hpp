// What stands of the last verdicts: does each still speak for the machine as it is now? Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/stored_verdict.hpp"

namespace gpugauge::judge {

/// A stored verdict, and what of its files says something else by now ("libcuda 570.86 then, 580.65 now").
struct Kept {
  StoredVerdict verdict;             ///< as it was read from the node
  std::vector<std::string> changed;  ///< one entry a library; empty where none changed or none was looked for
};

/// The machine now, as far as the kernel tells without starting a GPU.
struct Present {
  std::string boot_id;         ///< of the kernel; "" where it does not tell
  double unix_seconds = 0;     ///< since 1970, UTC
  bool nvidia = false;         ///< hardware, driver or device node of NVIDIA
  bool gpus_listed = false;    ///< false: which GPUs there are cannot be told, so none is missed
  std::vector<SeenGpu> gpus;   ///< all that the kernel shows
  std::string driver_version;  ///< of the loaded kernel module, "" without one
};

/// True for the index of a GPU in a choice of devices: "0", "12".
bool is_index(const std::string& word);
/// So many letters of a UUID's beginning name a GPU, or more.
inline constexpr std::size_t least_uuid_letters = 8;

/// Whose verdicts are asked for, and which of them may count.
struct StatusRequest {
  /// all (every GPU, and their links where they were gauged), links, host, an index, a UUID or its beginning
  std::vector<std::string> devices{"all"};
  std::optional<double> most_seconds;  ///< older verdicts do not count; absent = any age does
  std::string profile;       ///< only a whole verdict of this profile counts; "" = any, narrowed ones too
  std::string kept_in = {};  ///< folder that was looked in, said where it holds no verdict; "" = not said
};

/// What is to be said of one device.
struct Standing {
  std::string device;  ///< UUID, address where that is not known, "links", "host" or "node"
  std::string label;   ///< for people: as the check named it, else as the kernel shows it
  ExitCode code = ExitCode::cannot_judge;  ///< the stored verdict's, where that speaks for now
  std::string word;                        ///< "pass", "regressed", "cannot judge", ...
  std::string reason;                      ///< one sentence
  std::vector<std::string> against;        ///< why the stored verdict does not speak for now; empty = it does
  /// since the stored verdict; nullopt without one, or where its time cannot be read
  std::optional<double> age_seconds;
  std::optional<StoredVerdict> stored;  ///< nullopt: never gauged
};

/// What stands of all that was asked for.
struct Status {
  std::vector<Standing> devices;     ///< in the order asked for; the node's own comes last
  std::vector<std::string> remarks;  ///< said, not counted
  Outcome outcome;                   ///< the gravest of the devices'
};

/// A verdict counts when it is of this boot, of this driver and these library files, young enough, and of a
/// device that is here; else the device cannot be judged (3), and each reason is said by name. With a GPU
/// asked for, what the last check said of the node counts too unless it passed, and a GPU that was here in
/// this boot and is not now is missed. The outcome is the gravest of them (tool error, regressed, cannot
/// judge, inconclusive, pass). Throws result::UsageError for the beginning of a UUID that more than one GPU
/// has.
Status judge_status(const std::vector<Kept>& kept, const Present& now, const StatusRequest& request);

}  // namespace gpugauge::judge
