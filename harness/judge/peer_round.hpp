// Reduces one run of one device to what the comparison of nodes needs: kilobytes instead of megabytes.
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
#include "judge/verdict.hpp"
#include "result/run_file.hpp"

namespace gpugauge::judge {

/// The definition of a metric. The same key with another unit, direction or class is another metric.
struct PeerForm {
  std::string key;                                       ///< result::metric_key
  std::string benchmark;                                 ///< id of the benchmark that reports it
  std::string metric_class;                              ///< one of result::classes
  std::string unit;                                      ///< one of result::units
  result::Direction better = result::Direction::higher;  ///< sets the sign on the scale, where + is worse
  /// spread_group of the metric. For a metric only found in histories of older versions, which did not store
  /// the statistic, the group follows from its name.
  int group = 0;
  bool judged = true;  ///< some run has a counting value of it
};

/// A benchmark or family that went wrong on a node.
struct PeerFault {
  std::string what;  ///< benchmark id, or family
  /// the benchmark's worst status over the processes; never ok
  result::Status status = result::Status::failed;
  std::string reason;     ///< one sentence
  bool occupied = false;  ///< its device was only in use (result::occupied)
};

/// One run's value of a metric.
struct PeerValue {
  std::uint32_t metric = 0;  ///< index into PeersInput::metrics
  /// by_chance() of its process values
  float by_chance = std::numeric_limits<float>::quiet_NaN();
  double value = 0;  ///< median over processes, in the metric's unit
};

/// Relative standard deviation that chance gives a median of these process values (drawn_median_variance);
/// NaN for too few values. Values > 0, in any order.
float by_chance(const std::vector<double>& values, result::Direction better);

/// One run of one device, in the form for the comparison.
struct PeerRound {
  std::string node;    ///< identity: the GPUs' UUIDs, a host's boot, or its run id if no boot is known
  std::string label;   ///< for readers: where the file lay
  std::string file;    ///< path, as given or found
  std::string id;      ///< result::Run::id: sorts by time, and identifies a run given twice
  std::string device;  ///< result::Run::device
  /// The machine's name for a launcher, from a folder or a history; "" if neither gives one. Run files hold
  /// none.
  std::string host;
  std::string boot;            ///< result::Run::boot_id: tells machines apart; "" if not known
  bool complete = true;        ///< result::Run::complete
  std::string partial_reason;  ///< one sentence; "" when complete
  bool first = true;           ///< false: a repeated round, which measures only what is in doubt
  /// The chosen benchmark ids, sorted; empty: all. Other benchmarks were not requested.
  std::vector<std::string> only{};
  /// True if `only` and `recorded` are known to be complete. Histories of older versions hold neither.
  bool choice_known = true;
  /// Start, seconds since 1970; tells one pass over the fleet from the next. nullopt if not known.
  std::optional<double> started{};
  /// Digest of every fact that must match. Excludes the hashes of the families' sources, since a node without
  /// a family is a finding and not another kind.
  std::string kind;
  std::map<std::string, std::string> source_hashes;  ///< facts "suite.source_hash.FAMILY"
  /// a fingerprint of this kind, shared between runs
  std::shared_ptr<const result::Fingerprint> fingerprint;
  std::vector<PeerValue> values;  ///< values of all metrics, including those recorded only (measured())
  /// How many of `values`, at the end, count in no process. They are compared if the metric counts on another
  /// node of the kind.
  std::size_t recorded_values = 0;
  std::vector<PeerFault> faults;  ///< families that failed or did not run, by name, then benchmarks
  Checksums checksums;            ///< checksums of the family integrity
  std::vector<Verdict> health{};  ///< told_of_gpu_health() of the run; empty if it tells nothing
  /// By key: metrics whose values count in no process, and why. Shared by runs that agree; nullptr if there
  /// are none.
  std::shared_ptr<const std::map<std::string, std::string>> recorded{};
};

/// Whether the run should have measured the benchmark: a first round, and the benchmark was chosen.
bool was_chosen(const PeerRound& round, const std::string& benchmark);

/// The source hash of a family; "" if the run did not measure it.
std::string source_hash_of(const PeerRound& round, std::string_view family);

struct PeersInput;

/// Reduces runs to PeerRound. Thread-safe.
class PeerCollector {
 public:
  /// Reduces a run without its values and the shared fingerprint, for callers that store values differently.
  static PeerRound without_values(const result::Run& run, const Collected& collected, std::string file,
                                  std::string label);

  /// Reduces one run; `file` and `label` go into the round as they are. Its values refer to metrics().
  PeerRound reduce(const result::Run& run, std::string file, std::string label);
  /// The same with collect(run) already at hand.
  PeerRound reduce(const result::Run& run, const Collected& collected, std::string file, std::string label);
  /// Takes over rounds that were reduced elsewhere. Their values then refer to metrics() here, and rounds of
  /// one kind share a fingerprint. Call before anything is reduced.
  void adopt(PeersInput& input);
  /// All metrics seen; PeerRound::values hold indices into it. Call after all threads have finished.
  const std::vector<PeerForm>& metrics() const { return forms_; }

 private:
  /// The index of a form; a new form starts as not judged.
  std::uint32_t index_of(const std::string& key, const std::string& benchmark,
                         const std::string& metric_class, const std::string& unit, result::Direction better);
  std::shared_ptr<const result::Fingerprint> shared(const std::string& kind,
                                                    const result::Fingerprint& fingerprint);

  std::mutex mutex_;
  std::vector<PeerForm> forms_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> index_;  ///< by key; usually one form each
  std::unordered_map<std::string, std::shared_ptr<const result::Fingerprint>> fingerprints_;
  std::map<std::map<std::string, std::string>, std::shared_ptr<const std::map<std::string, std::string>>>
      recorded_;
};

}  // namespace gpugauge::judge
