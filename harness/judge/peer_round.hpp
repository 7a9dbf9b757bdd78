// One run of one device, reduced to what the comparison of nodes needs: a few kilobytes of some megabytes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judge/checksums.hpp"
#include "judge/collect.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// What a metric is; the same key with another unit, direction or class is another metric.
struct PeerForm {
  std::string key;                                       ///< result::metric_key
  std::string benchmark;                                 ///< id of the benchmark that reports it
  std::string metric_class;                              ///< one of result::classes
  std::string unit;                                      ///< one of result::units
  result::Direction better = result::Direction::higher;  ///< decides the sign on the scale, where + is worse
  /// spread_group of the metric. Of one that only older versions put into a history, which did not keep which
  /// statistic a number is, that of its name.
  int group = 0;
  bool judged = true;  ///< some run has a value of it that counts
};

/// Something that did not go well on a node.
struct PeerFault {
  std::string what;  ///< benchmark id, or family
  /// of the benchmark its worst over the processes; never ok
  result::Status status = result::Status::failed;
  std::string reason;  ///< one sentence
};

/// What one run measured of a metric.
struct PeerValue {
  std::uint32_t metric = 0;  ///< index into PeersInput::metrics
  /// by_chance() of its processes.
  float by_chance = std::numeric_limits<float>::quiet_NaN();
  double value = 0;  ///< median over processes, in the metric's unit
};

/// Standard deviation that chance gives a median of these values of processes (drawn_median_variance),
/// relative; NaN where they are too few to tell. Values in any order, each > 0.
float by_chance(const std::vector<double>& values, result::Direction better);

/// One run of one device, as the comparison sees it.
struct PeerRound {
  std::string
      node;  ///< identity: UUIDs of the GPUs, or the boot of a host, or its run where no boot is known
  std::string label;   ///< for people: where the file lay
  std::string file;    ///< path, as given or found
  std::string id;      ///< result::Run::id: sorts by time, and tells a run that is given twice
  std::string device;  ///< result::Run::device
  /// The machine's name, by which a launcher finds it; "" where neither a folder nor a history gives one: a
  /// run file holds none.
  std::string host;
  std::string boot;            ///< result::Run::boot_id: tells machines apart; "" where it is not known
  bool complete = true;        ///< result::Run::complete
  std::string partial_reason;  ///< one sentence; "" when complete
  bool first = true;           ///< no repeated round, which measures what is in doubt
  /// The ids that were chosen, sorted; empty: all. What else it lacks nobody asked for.
  std::vector<std::string> only{};
  /// True where it is known that `only` says all, and `recorded` too: older versions put neither into a
  /// history.
  bool choice_known = true;
  /// When it began, seconds since 1970: tells one round of the fleet from the next; absent where nobody
  /// knows.
  std::optional<double> started{};
  /// Digest of every fact that must match on both sides; hashes of the families' sources apart, since a node
  /// that lacks a family is a finding and not another kind.
  std::string kind;
  std::map<std::string, std::string> source_hashes;        ///< facts "suite.source_hash.FAMILY"
  std::shared_ptr<const result::Fingerprint> fingerprint;  ///< one of this kind, shared
  std::vector<PeerValue> values;  ///< of all metrics, those included that are only recorded (measured())
  /// So many of `values`, the last ones, count in no process. They are compared where the metric counts on
  /// another node of the kind.
  std::size_t recorded_values = 0;
  std::vector<PeerFault> faults;  ///< families that failed or did not run, by name, then benchmarks
  Checksums checksums;            ///< of the family integrity
  /// Metrics with values that do not count in any process, and why: by key, shared by runs that agree.
  /// nullptr for none.
  std::shared_ptr<const std::map<std::string, std::string>> recorded{};
};

/// Whether the run was to measure the benchmark: one of the first round, and chosen.
bool was_chosen(const PeerRound& round, const std::string& benchmark);

/// "" for a run that did not measure the family.
std::string source_hash_of(const PeerRound& round, std::string_view family);

struct PeersInput;

/// Reduces runs; several threads may do so at once.
class PeerCollector {
 public:
  /// All but the values and the shared fingerprint: for whoever keeps values in another way.
  static PeerRound without_values(const result::Run& run, const Collected& collected, std::string file,
                                  std::string label);

  /// Reduces one run; `file` and `label` go into the round as they are. Its values refer to metrics().
  PeerRound reduce(const result::Run& run, std::string file, std::string label);
  /// The same for whoever needs collect(run) anyway.
  PeerRound reduce(const result::Run& run, const Collected& collected, std::string file, std::string label);
  /// Takes over rounds that were reduced elsewhere: their values then refer to metrics() here, and rounds of
  /// their kinds share their fingerprint. Call before anything is reduced.
  void adopt(PeersInput& input);
  /// Every metric seen; PeerRound::values hold indices into it. Call when no thread reduces any more.
  const std::vector<PeerForm>& metrics() const { return forms_; }

 private:
  /// A form that is new is not judged yet.
  std::uint32_t index_of(const std::string& key, const std::string& benchmark,
                         const std::string& metric_class, const std::string& unit, result::Direction better);
  std::shared_ptr<const result::Fingerprint> shared(const std::string& kind,
                                                    const result::Fingerprint& fingerprint);

  std::mutex mutex_;
  std::vector<PeerForm> forms_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> index_;  ///< by key; as a rule one form each
  std::unordered_map<std::string, std::shared_ptr<const result::Fingerprint>> fingerprints_;
  std::map<std::map<std::string, std::string>, std::shared_ptr<const std::map<std::string, std::string>>>
      recorded_;
};

}  // namespace gpugauge::judge
