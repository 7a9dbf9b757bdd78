// A newcomer against a fleet: is it like the others, and is its stack?
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

/// How often each fact has each value, by kind of device: what is usual in a fleet. Several threads may add.
class UsualFacts {
 public:
  /// Counts the facts of one run (PeerRound::id) of a device of this kind (PeerRound::kind).
  void add(const std::string& kind, const std::string& run, const result::Fingerprint& fingerprint);
  /// The value that more than half of the runs of a kind have; "" where none is so common.
  struct Usual {
    std::string value;     ///< as the fingerprint writes it
    std::size_t runs = 0;  ///< that have it
    std::size_t of = 0;    ///< runs of the kind
  };
  /// The facts of a kind that have a usual value, in the runs that are not among `without`.
  result::Fingerprint usual(const std::string& kind, const std::set<std::string>& without = {}) const;
  /// `field` as baseline::Mismatch writes it.
  Usual of(const std::string& kind, const std::string& field,
           const std::set<std::string>& without = {}) const;

 private:
  using Runs = std::vector<std::uint32_t>;  ///< places in Kind::runs
  struct Kind {
    std::vector<std::string> runs;
    /// section, fact, value
    std::map<std::string, std::map<std::string, std::map<std::string, Runs>>> having;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Kind> kinds_;
};

/// A fleet that is trusted, and the runs of those that are to join it.
struct AdmissionInput {
  PeersInput fleet;                  ///< the reference; its `metrics` are those of both
  std::vector<PeerRound> newcomers;  ///< of one device or several, each oldest first or not
  std::map<std::string, result::Fingerprint> fingerprints;  ///< of the newcomers, by run id
  std::vector<UnreadFile> unread;                           ///< of the newcomers
};

/// A fact in which the newcomer differs from what is usual in the fleet.
struct Drift {
  std::string field;      ///< "stack.driver.version"
  std::string here;       ///< "" = absent
  std::string usual;      ///< "" = absent
  std::size_t runs = 0;   ///< of the fleet that have the usual value; of a field that must match, its devices
  std::size_t of = 0;     ///< runs, or devices, of that kind that were counted
  bool declared = false;  ///< covered by a treatment
  bool must_match = false;  ///< makes the newcomer incomparable unless declared

  bool operator==(const Drift&) const = default;  ///< Equal in every member.
};

/// What becomes of a newcomer, in the order in which they are listed.
enum class AdmissionState {
  refused,        ///< a confirmed drop, a missing metric, a failure
  cannot_judge,   ///< not comparable, too few of its kind, unreadable
  measure_again,  ///< something is in doubt, and a further run would decide it
  admitted,
};

/// What is said of one newcomer.
struct Admission {
  std::string node;                ///< PeerRound::node; of a file that was not read, its label
  std::string label;               ///< PeerRound::label
  std::string device;              ///< PeerRound::device; "" of a file that was not read
  std::vector<std::string> files;  ///< run files, oldest first, each run once
  /// cannot_judge unless a comparison or a failure decides
  AdmissionState state = AdmissionState::cannot_judge;
  std::string reason;             ///< one sentence
  std::string reference;          ///< what it was compared with: "NVIDIA H200, driver 580.65.06"
  DeviceCount peers;              ///< devices of that kind, itself left out
  std::size_t metrics = 0;        ///< compared
  std::vector<Verdict> verdicts;  ///< what stands out: what counts first, gravest first
  std::vector<Drift> drift;       ///< what must match first
  /// Smallest drop that is found with 90% power, relative: the median over the metrics that were compared. 0
  /// where none was.
  double detects_median = 0;
  double detects_worst = 0;  ///< the largest of these drops
  /// result::metric_key of the metric with the largest one; "" where none was compared
  std::string worst_metric;
  std::size_t blunt = 0;             ///< metrics whose smallest drop is more than twice their tolerance
  std::vector<std::string> remarks;  ///< sentences: metrics not compared, treatments that cover nothing
};

/// Every newcomer, and the answer for the command.
struct Admissions {
  std::vector<Admission> nodes;  ///< refused first, then by label
  /// sentences about the fleet: runs left out, files not read, a run given twice
  std::vector<std::string> remarks;
  Outcome outcome;  ///< pass, regressed or cannot_judge: see judge_admission
};

/// Compares each newcomer with the devices of its kind, 8 or more, which alone make centre and spread; it is
/// left out of the fleet where it is in it. Where its runs did different work each kind is judged, and the
/// gravest answer is the newcomer's. What must match and does not makes it incomparable, unless
/// policy.treatment covers it. What the policy makes advisory is said and decides nothing. Exit code: 1 when
/// one is refused; else 3 when one cannot be judged or is to be measured again: what is in doubt is not let
/// in; else 0.
Admissions judge_admission(const AdmissionInput& input, const UsualFacts& usual, const Policy& policy = {},
                           const PeerRules& rules = {});

/// "refused", "cannot judge", "measure again", "admitted".
std::string_view to_string(AdmissionState state);

}  // namespace gpugauge::judge
