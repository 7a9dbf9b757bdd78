// What stands of the last verdicts: does each still speak for the machine as it is now? Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/stored_verdict.hpp"

namespace gpugauge::judge {

/// A stored verdict, and what of its files says something else by now ("libcuda 570.86 then, 580.65 now").
struct Kept {
  StoredVerdict verdict;
  std::vector<std::string> changed;
};

/// The machine now, as far as the kernel tells without starting a GPU.
struct Present {
  std::string boot_id;
  double unix_seconds = 0;
  bool nvidia = false;       ///< hardware, driver or device node of NVIDIA
  bool gpus_listed = false;  ///< false: which GPUs there are cannot be told, so none is missed
  std::vector<SeenGpu> gpus;
  std::string driver_version;
};

struct StatusRequest {
  /// all (every GPU, and their links where they were gauged), links, host, an index, a UUID or its beginning
  std::vector<std::string> devices{"all"};
  std::optional<double> most_seconds;  ///< older verdicts do not count; absent = any age does
  std::string profile;  ///< only a whole verdict of this profile counts; "" = any, narrowed ones too
};

/// What is to be said of one device.
struct Standing {
  std::string device;  ///< UUID, address where that is not known, "links", "host" or "node"
  std::string label;
  ExitCode code = ExitCode::cannot_judge;
  std::string word;                  ///< "pass", "regressed", "cannot judge", ...
  std::string reason;                ///< one sentence
  std::vector<std::string> against;  ///< why the stored verdict does not speak for now; empty = it does
  std::optional<double> age_seconds;
  std::optional<StoredVerdict> stored;
};

struct Status {
  std::vector<Standing> devices;
  std::vector<std::string> remarks;  ///< said, not counted
  Outcome outcome;
};

/// A verdict counts when it is of this boot, of this driver and these library files, young enough, and of a
/// device that is here; else the device cannot be judged (3), and each reason is said by name. With a GPU
/// asked for, what the last check said of the node counts too unless it passed, and a GPU that was here in
/// this boot and is not now is missed. The outcome is the gravest of them (tool error, regressed, cannot
/// judge, inconclusive, pass). Throws result::UsageError for the beginning of a UUID that more than one GPU
/// has.
Status judge_status(const std::vector<Kept>& kept, const Present& now, const StatusRequest& request);

}  // namespace gpugauge::judge
