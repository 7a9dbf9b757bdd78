// The last verdict on a device as stored on the node, schema "gpugauge.verdict/1" (report/stored_verdict.hpp
// writes and reads it). Plain data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/judge.hpp"

namespace gpugauge::judge {

/// A GPU as the kernel showed it; "" for what it did not show.
struct SeenGpu {
  std::string address;  ///< "0000:01:00.0"
  std::string uuid;     ///< "GPU-..."
  std::string name;     ///< model: "NVIDIA H200"

  bool operator==(const SeenGpu&) const = default;  ///< Equal in every member.
};

/// The stored part of a verdict on one metric.
struct StoredMetric {
  std::string metric;              ///< result::metric_key
  std::string verdict;             ///< to_string(VerdictKind): "regressed"
  bool advisory = false;           ///< reported, never counted
  std::string unit;                ///< one of result::units; "" if there is no figure
  std::optional<double> value;     ///< in unit
  std::optional<double> baseline;  ///< in unit
  std::optional<double> change;    ///< relative, + is worse
  std::string reason;              ///< Verdict::reason

  bool operator==(const StoredMetric&) const = default;  ///< Equal in every member, figures exactly.
};

/// A cause that the diagnosis named.
struct StoredFinding {
  std::string cause;              ///< name in the catalogue of causes
  double score = 0;               ///< 0 to 1
  std::vector<std::string> next;  ///< commands to run next

  bool operator==(const StoredFinding&) const = default;  ///< Equal in every member, the score exactly.
};

/// A check's verdict on one device, or ("node") on the whole node: a usable GPU, the policy's expectations.
struct StoredVerdict {
  std::string device;                 ///< GPU's or instance's UUID, "links", "host" or "node"
  std::string label;                  ///< for people
  std::optional<int> index;           ///< CUDA's index of a GPU
  std::string address;                ///< PCI bus address, "" for the host
  std::string boot_id;                ///< boot of the measurement; "" if the kernel gave none
  std::string started;                ///< UTC, RFC 3339: start of the first round
  std::string finished;               ///< UTC, RFC 3339: time of the verdict
  std::string profile;                ///< profile of the first round; "" for the node
  std::vector<std::string> narrowed;  ///< families and patterns that the check was narrowed to; empty = the
                                      ///< whole profile
  Outcome outcome;                    ///< the answer for this device
  std::string word;                   ///< "pass", "regressed", "cannot judge", ...
  std::string baseline;               ///< what it was compared with, as one sentence
  std::map<std::string, int> counts;  ///< metrics by verdict
  std::vector<StoredMetric> worst;    ///< gravest first, at most report::stored_metrics_most; never ok or new
  std::vector<StoredFinding> findings;  ///< best first; empty without a diagnosis
  std::string driver_version;           ///< loaded kernel module's, "" without one
  std::vector<SeenGpu> gpus;            ///< all GPUs that the kernel showed then
  std::string container;                ///< container of the check: "docker", "" outside of one
  result::Facts stack;                  ///< the fingerprint's stack
  std::vector<std::string> files;       ///< run files
  std::string version;                  ///< of GPUGauge
  std::string commit;                   ///< of GPUGauge
};

}  // namespace gpugauge::judge
