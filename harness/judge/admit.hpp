// Compares a newcomer with a fleet: its measurements and its software stack.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "judge/judge_peers.hpp"
#include "judge/peer_hosts.hpp"

namespace gpugauge::judge {

/// Counts how often each fact has each value, by kind of device, to find the usual values of a fleet.
/// Thread-safe.
class UsualFacts {
 public:
  /// Counts the facts of one run (PeerRound::id) on a device of this kind (PeerRound::kind).
  void add(const std::string& kind, const std::string& run, const result::Fingerprint& fingerprint);
  /// The value that more than half of the runs of a kind have; "" where there is none.
  struct Usual {
    std::string value;     ///< as the fingerprint writes it
    std::size_t runs = 0;  ///< runs that have it
    std::size_t of = 0;    ///< runs of the kind
  };
  /// Returns the facts of a kind that have a usual value, not counting the runs in `without`.
  result::Fingerprint usual(const std::string& kind, const std::set<std::string>& without = {}) const;
  /// Returns the usual value of one field, written as in baseline::Mismatch.
  Usual of(const std::string& kind, const std::string& field,
           const std::set<std::string>& without = {}) const;

 private:
  using Runs = std::vector<std::uint32_t>;  ///< indices into Kind::runs
  struct Kind {
    std::vector<std::string> runs;
    /// section, fact, value
    std::map<std::string, std::map<std::string, std::map<std::string, Runs>>> having;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Kind> kinds_;
};

/// A trusted fleet, and the runs of the devices that are to join it.
struct AdmissionInput {
  PeersInput fleet;                  ///< the reference; its `metrics` also describe the newcomers' values
  std::vector<PeerRound> newcomers;  ///< runs of one or more devices, in any order
  std::map<std::string, result::Fingerprint> fingerprints;  ///< the newcomers' fingerprints, by run id
  std::vector<UnreadFile> unread;                           ///< the newcomers' files that could not be read
};

/// A fact in which the newcomer differs from the usual value of the fleet.
struct Drift {
  std::string field;        ///< "stack.driver.version"
  std::string here;         ///< "" = absent
  std::string usual;        ///< "" = absent
  std::size_t runs = 0;     ///< fleet runs with the usual value; for a field that must match, fleet devices
  std::size_t of = 0;       ///< runs (or devices) of that kind that were counted
  bool declared = false;    ///< a treatment covers it
  bool must_match = false;  ///< makes the newcomer incomparable unless declared

  bool operator==(const Drift&) const = default;  ///< Equal in every member.
};

/// The decision on a newcomer, in the order of the listing.
enum class AdmissionState {
  refused,        ///< a confirmed drop, a missing metric, a failure
  cannot_judge,   ///< not comparable, too few of its kind, unreadable
  measure_again,  ///< something is in doubt, and a further run would decide it
  admitted,
};

/// The result for one newcomer.
struct Admission {
  std::string node;                ///< PeerRound::node; for a file that was not read, its label
  std::string label;               ///< PeerRound::label
  std::string device;              ///< PeerRound::device; "" for a file that was not read
  std::vector<std::string> files;  ///< run files, oldest first, each run once
  /// cannot_judge unless a comparison or a failure decides
  AdmissionState state = AdmissionState::cannot_judge;
  std::string reason;       ///< one sentence
  std::string reference;    ///< what it was compared with: "NVIDIA H200, driver 580.65.06"
  DeviceCount peers;        ///< devices of that kind, without the newcomer
  std::size_t metrics = 0;  ///< metrics that were compared
  /// notable verdicts, also on the health of its GPUs: counted ones first, then by gravity
  std::vector<Verdict> verdicts;
  std::vector<Drift> drift;  ///< fields that must match come first
  /// Smallest relative drop found with 90% power: the median over the compared metrics. 0 where no metric was
  /// compared.
  double detects_median = 0;
  double detects_worst = 0;  ///< the largest of these drops
  /// result::metric_key of the metric with the largest one; "" where none was compared
  std::string worst_metric;
  std::size_t blunt = 0;             ///< metrics whose smallest drop is more than twice their tolerance
  std::vector<std::string> remarks;  ///< sentences on metrics not compared, and treatments without effect
};

/// All newcomers, and the outcome of the command.
struct Admissions {
  std::vector<Admission> nodes;  ///< refused first, then by label
  /// sentences about the fleet: runs left out, files not read, a run given twice
  std::vector<std::string> remarks;
  Outcome outcome;  ///< pass, regressed or cannot_judge: see judge_admission
};

/// Compares each newcomer with the devices of its kind. The kind needs 8 or more; they alone make centre and
/// spread, and a newcomer that is also in the fleet is left out of it. Where its runs did different work,
/// each kind of work is judged and the gravest answer counts. A difference in a field that must match makes
/// it incomparable, unless policy.treatment covers the field. Metrics that the policy makes advisory are
/// reported and decide nothing. Exit code: 1 when a newcomer is refused; else 3 when one cannot be judged or
/// must be measured again, because a doubtful device is not admitted; else 0.
Admissions judge_admission(const AdmissionInput& input, const UsualFacts& usual, const Policy& policy = {},
                           const PeerRules& rules = {});

/// "refused", "cannot judge", "measure again", "admitted".
std::string_view to_string(AdmissionState state);

}  // namespace gpugauge::judge
