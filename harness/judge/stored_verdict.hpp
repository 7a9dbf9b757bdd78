// The last verdict of a device as it is kept on the node, schema "gpugauge.verdict/1"
// (report/stored_verdict.hpp writes and reads it). Plain data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/judge.hpp"

namespace gpugauge::judge {

/// A GPU as the kernel showed it; "" where it did not tell.
struct SeenGpu {
  std::string address;  ///< "0000:01:00.0"
  std::string uuid;     ///< "GPU-..."
  std::string name;     ///< model: "NVIDIA H200"

  bool operator==(const SeenGpu&) const = default;  ///< Equal in every member.
};

/// A verdict on one metric, as far as it is worth keeping.
struct StoredMetric {
  std::string metric;              ///< result::metric_key
  std::string verdict;             ///< word of to_string(VerdictKind): "regressed"
  bool advisory = false;           ///< said, never counted
  std::string unit;                ///< one of result::units; "" of what is no figure
  std::optional<double> value;     ///< in unit
  std::optional<double> baseline;  ///< in unit
  std::optional<double> change;    ///< relative, + is worse
  std::string reason;              ///< Verdict::reason

  bool operator==(const StoredMetric&) const = default;  ///< Equal in every member, figures exactly.
};

/// A cause that the diagnosis named.
struct StoredFinding {
  std::string cause;              ///< its name in the catalogue of causes
  double score = 0;               ///< 0 to 1
  std::vector<std::string> next;  ///< what to type

  bool operator==(const StoredFinding&) const = default;  ///< Equal in every member, the score exactly.
};

/// What a check said of one device, or ("node") of the node as a whole: a usable GPU, what the policy
/// expects.
struct StoredVerdict {
  std::string device;                 ///< GPU's or instance's UUID, "links", "host" or "node"
  std::string label;                  ///< for people
  std::optional<int> index;           ///< CUDA's, of a GPU
  std::string address;                ///< on the PCI bus, "" for the host
  std::string boot_id;                ///< in which it was measured; "" where the kernel did not tell
  std::string started;                ///< UTC, RFC 3339: of the first round
  std::string finished;               ///< UTC, RFC 3339: when the verdict was there
  std::string profile;                ///< of the first round; "" for the node
  std::vector<std::string> narrowed;  ///< families and patterns that the check was narrowed to; empty = the
                                      ///< whole profile
  Outcome outcome;                    ///< the answer for this device
  std::string word;                   ///< "pass", "regressed", "cannot judge", ...
  std::string baseline;               ///< what it was compared with, one sentence
  std::map<std::string, int> counts;  ///< metrics by verdict
  std::vector<StoredMetric> worst;  ///< gravest first, at most report::stored_metrics_most; nothing ok or new
  std::vector<StoredFinding> findings;  ///< best first; empty without a diagnosis
  std::string driver_version;           ///< of the loaded kernel module, "" without one
  std::vector<SeenGpu> gpus;            ///< all that the kernel showed then
  std::string container;                ///< that the check ran in: "docker", "" outside of one
  result::Facts stack;                  ///< of the fingerprint
  std::vector<std::string> files;       ///< run files
  std::string version;                  ///< of GPUGauge
  std::string commit;                   ///< of GPUGauge: 12 hex digits, or "unknown"
};

}  // namespace gpugauge::judge
