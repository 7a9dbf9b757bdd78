// A newcomer against a fleet: is it like the others, and is its stack?
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "judge/judge_peers.hpp"

namespace gpugauge::judge {

/// How often each fact has each value, by kind of node: what is usual in a fleet. Several threads may add.
class UsualFacts {
 public:
  void add(const std::string& kind, const result::Fingerprint& fingerprint);
  /// The value that more than half of the runs of a kind have; "" where none is so common.
  struct Usual {
    std::string value;
    std::size_t runs = 0;  ///< that have it
    std::size_t of = 0;    ///< runs of the kind
  };
  /// The facts of a kind that have a usual value.
  result::Fingerprint usual(const std::string& kind) const;
  /// `field` as baseline::Mismatch writes it.
  Usual of(const std::string& kind, const std::string& field) const;

 private:
  struct Kind {
    std::size_t runs = 0;
    /// section, fact, value
    std::map<std::string, std::map<std::string, std::map<std::string, std::size_t>>> counts;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Kind> kinds_;
};

struct AdmissionInput {
  PeersInput fleet;                  ///< the reference; its `metrics` are those of both
  std::vector<PeerRound> newcomers;  ///< of one node or several, each oldest first or not
  std::map<std::string, result::Fingerprint> fingerprints;  ///< of the newcomers, by run id
  std::vector<UnreadFile> unread;                           ///< of the newcomers
};

/// A fact in which the newcomer differs from what is usual in the fleet.
struct Drift {
  std::string field;     ///< "stack.driver.version"
  std::string here;      ///< "" = absent
  std::string usual;     ///< "" = absent
  std::size_t runs = 0;  ///< of the fleet that have the usual value; 0 where only one of them was looked at
  std::size_t of = 0;
  bool declared = false;    ///< covered by a treatment
  bool must_match = false;  ///< makes the newcomer incomparable unless declared

  bool operator==(const Drift&) const = default;
};

enum class AdmissionState {
  refused,        ///< a confirmed drop, a missing metric, a failure
  cannot_judge,   ///< not comparable, too few of its kind, unreadable
  measure_again,  ///< something is in doubt, and a further run would decide it
  admitted,
};

struct Admission {
  std::string node;
  std::string label;
  std::string device;
  std::vector<std::string> files;
  AdmissionState state = AdmissionState::cannot_judge;
  std::string reason;             ///< one sentence
  std::string reference;          ///< what it was compared with: "NVIDIA H200, driver 580.65.06"
  std::size_t peers = 0;          ///< nodes of that kind, itself left out
  std::size_t metrics = 0;        ///< compared
  std::vector<Verdict> verdicts;  ///< what stands out, gravest first
  std::vector<Drift> drift;       ///< what must match first
  /// Smallest drop that is found with 90% power, relative, over the metrics that were compared.
  double detects_median = 0;
  double detects_worst = 0;
  std::string worst_metric;
  std::size_t blunt = 0;  ///< metrics whose smallest drop is more than twice their tolerance
  std::vector<std::string> remarks;
};

struct Admissions {
  std::vector<Admission> nodes;  ///< refused first, then by label
  std::vector<std::string> remarks;
  Outcome outcome;
};

/// Compares each newcomer with the nodes of its kind, 8 or more, which alone make centre and spread; it is
/// left out of the fleet where it is in it. What must match and does not makes it incomparable, unless
/// policy.treatment covers it. Exit code: 1 when one is refused; else 3 when one cannot be judged or is to be
/// measured again: what is in doubt is not let in; else 0.
Admissions judge_admission(const AdmissionInput& input, const UsualFacts& usual, const Policy& policy = {},
                           const PeerRules& rules = {});

std::string_view to_string(AdmissionState state);

}  // namespace gpugauge::judge
