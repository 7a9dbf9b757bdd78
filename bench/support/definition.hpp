// A benchmark as one object: what it isolates, its parameters, what it measures and how. Listing, measuring,
// verifying, judging and the docs tables all use it. A benchmark is one file that registers one or more
// definitions:
//
//   void triad(Trial& trial) { ... trial.time(...); trial.verify(...); }
//
//   const Registration registered{
//       define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
//           .isolates("Streaming bandwidth of host memory, two reads and a write")
//           .bad_value("a neighbour that streams, a missing memory channel, a cgroup CPU quota")
//           .axis("cores", {"one_core", "all_cores"})
//           .quantity(Quantity::bandwidth, "host_memory")
//           .statistics({Statistic::median, Statistic::mean, Statistic::p99})
//           .body(triad)};
//
// The id is family/op followed by the value of each axis: host/triad/all_cores.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "result/samples.hpp"

namespace gpugauge::bench {

class Trial;
struct Instance;

/// What the seconds of a batch are turned into.
enum class Quantity {
  latency,     ///< seconds per operation; lower is better
  bandwidth,   ///< declared bytes / seconds; higher is better
  throughput,  ///< declared flops / seconds; higher is better
  rate,        ///< declared items / seconds, unit operation/second; higher is better
};

/// How the batches become one value. mean is all work over the wall time of the whole window. It shows a CPU
/// quota; on a GPU it includes the time to enqueue every batch. The others are taken over batches, and each
/// batch is the mean of its operations. So one slow operation among many moves its batch only by its share.
/// p90 and p99 are always the slow end, whatever the direction.
enum class Statistic { median, mean, p90, p99, minimum };

/// One parameter and the values it takes. Every combination of all axes is one instance.
struct Axis {
  /// The key of the parameter in a result: letters, digits, '_', '-' and '.'.
  std::string name;
  /// At least one value, without repeats, as written in the id and with the same characters as `name`.
  std::vector<std::string> values;
};

/// The profiles by how much they measure. An instance belongs to one profile and to every deeper one.
enum class Depth { smoke, quick, standard, deep, exhaustive };

/// What the machine must have for an instance to be measurable. A missing requirement skips the instance and
/// is named.
struct Requirements {
  /// A usable GPU.
  bool gpu = false;
  int minimum_compute_capability = 0;  ///< 80 for 8.0
  bool only_that_compute_capability =
      false;                         ///< for instructions of one generation: wgmma exists only on 9.0
  int below_compute_capability = 0;  ///< 80 for GPUs before 8.0; 0 for no upper bound
  std::vector<int> instead_on = {};  ///< {100, 103}: in place of another benchmark on exactly these GPUs
  int devices = 1;                   ///< GPUs that one process needs to see
};

/// Declares one benchmark. Every setter returns *this so that calls can be chained. Setters do not throw
/// unless their comment says so: Registration finds what is missing or wrong.
class Definition {
 public:
  /// `family` and `op` are words of an id: the folder's name, and the file's name without its extension.
  Definition(std::string family, std::string op);

  /// One or two sentences on the mechanism that this benchmark isolates (docs/benchmarks.md is generated from
  /// it).
  Definition& isolates(std::string sentence);
  /// What a bad value usually means.
  Definition& bad_value(std::string sentence);
  /// The variant, when a family has several implementations of one op: family/op/variant/params.
  Definition& variant(std::string name);
  /// Adds a parameter and its values, at least one. The id lists the axes in the order of the calls.
  Definition& axis(std::string name, std::vector<std::string> values);
  /// What is judged, and its class. Throws std::invalid_argument for a class that result::classes does not
  /// list.
  Definition& quantity(Quantity quantity, std::string metric_class);
  /// The metrics formed from the batches, one per statistic. The default is the median alone.
  Definition& statistics(std::vector<Statistic> statistics);
  /// Declares that the body adds all metrics with Trial::metric (fits, ratios), and none is formed from the
  /// batches. Call either this or quantity(). `classes` are the classes of the metrics, the most stressed
  /// first; `--only CLASS` selects by them. Throws std::invalid_argument for an empty list or an unknown
  /// class.
  Definition& custom_metrics(std::vector<std::string> classes);
  /// Replaces the classes from custom_metrics() for instances with `value` on `axis`. The axis must have been
  /// added before. Throws std::invalid_argument for an empty list or an unknown class.
  Definition& classes_of(const std::string& axis, const std::string& value, std::vector<std::string> classes);
  /// Requires a GPU of this compute capability or newer: 80 for 8.0, 0 for any.
  Definition& requires_gpu(int minimum_compute_capability = 0);
  /// Marks a benchmark for GPUs of exactly this compute capability: its code runs on one generation only (90
  /// for wgmma).
  Definition& requires_gpu_of(int compute_capability);
  /// Marks a benchmark that replaces another one on GPUs below this compute capability (80 for 8.0). No GPU
  /// measures both, so it adds nothing to the estimate of a profile. Newer GPUs leave it out of their
  /// results, unless nothing else is asked for.
  Definition& stands_in_below(int compute_capability);
  /// Marks a benchmark that replaces another one on GPUs of exactly these compute capabilities, in ascending
  /// order (100 for 10.0). Estimates and results are as with stands_in_below().
  Definition& stands_in_on(std::vector<int> compute_capabilities);
  /// GPUs that one process must see (default 1). With fewer, the instance is skipped and the reason named.
  Definition& requires_devices(int count);
  /// The shallowest profile that measures these instances (default Depth::standard).
  Definition& from(Depth depth);
  /// Overrides from(depth) for instances with one of `values` on `axis`. Where several axes set a depth, the
  /// deepest counts. The axis must have been added before.
  Definition& from(Depth depth, const std::string& axis, const std::vector<std::string>& values);
  /// Target duration of one batch in seconds; the operations per batch are calibrated to it. Default 2 ms:
  /// 500 batches per second, enough for a p99.
  Definition& batch_seconds(double seconds);
  /// Share of the profile's time window that this benchmark takes (default 1). A window of a second or more
  /// is not cut below one second, because a shorter mean would not be judged.
  Definition& window_share(double share);
  /// Estimated seconds that a process spends on it beyond its window and beyond what the family states
  /// (default 0): for what does more than fills its window.
  Definition& also_takes(double seconds);
  /// Declares that the operation draws enough power for clocks to fall under it. The GPU timer then warms up
  /// until throughput and clock are steady (power_warm_up_after). Classes of products, convolutions and
  /// attention imply this.
  Definition& power_heavy();
  /// Declares that device memory may bound the operation although its class and quantity do not say so
  /// (is_bound_by_memory): the GPU timer then waits for the memory clock of GPUs with GDDR.
  Definition& memory_bound();
  /// Declares that a longer measurement shows more. --gpugauge_sustained, where given, sets its window in
  /// place of its share of the profile's.
  Definition& sustained();
  /// Declares that repeating the operation must give the same bits. The body verifies it
  /// (Trial::verify_deterministic).
  Definition& deterministic();
  /// Declares that a healthy device comes near the limit of its bus, link or units. The judge then also holds
  /// the median to a floor. Use it only where this holds on every model and at every size of the axes
  /// (judge_physical knows which products are too small). Each result notes it as "saturating".
  Definition& saturating();
  /// Holds instances beside another benchmark of the family that differs in one thing: "nhwc", say. `id` returns
  /// that one's id, or "" for an instance that has none. A process that measured both records what the one
  /// reaches of the other (beside.hpp). A test finds ids that do not exist.
  Definition& beside(std::string name, std::function<std::string(const Instance&)> id);
  /// The function that measures one instance. It may throw Skipped, Interrupted or any std::exception.
  Definition& body(std::function<void(Trial&)> function);

  std::string family;          ///< the folder's name, first word of the id
  std::string op;              ///< the file's name, second word of the id
  std::string variant_name;    ///< third word of the id; "" = none
  std::string isolates_text;   ///< one or two sentences
  std::string bad_value_text;  ///< what a bad value usually means
  /// In the order of the id.
  std::vector<Axis> axes;
  /// nullopt with custom metrics only.
  std::optional<Quantity> quantity_kind;
  /// One of result::classes: the first of metric_classes.
  std::string metric_class;
  /// The classes of all metrics of this definition, metric_class first.
  std::vector<std::string> metric_classes;
  /// The statistics that metrics are formed from.
  std::vector<Statistic> statistic_kinds{Statistic::median};
  /// What the machine must have.
  Requirements requirements;
  /// Target duration of one batch in seconds, above 0.
  double batch_target_seconds = 2e-3;
  /// Share of the profile's time window, above 0.
  double window_factor = 1;
  /// Set by also_takes(), 0 or more.
  double extra_seconds = 0;
  /// custom_metrics() was called.
  bool is_custom = false;
  /// deterministic() was called.
  bool is_deterministic = false;
  /// saturating() was called.
  bool is_saturating = false;
  /// sustained() was called.
  bool is_sustained = false;
  /// power_heavy() was called.
  bool is_power_heavy = false;
  /// memory_bound() was called.
  bool is_memory_bound = false;
  /// Set by beside(); "" without it.
  std::string beside_name;
  /// Set by beside(); empty without it.
  std::function<std::string(const Instance&)> beside_id;
  /// The body; never empty once registered.
  std::function<void(Trial&)> run;
  /// Set by from(depth).
  Depth default_depth = Depth::standard;
  /// Set by from(depth, axis, values) for one value.
  struct DepthOfValue {
    std::string axis;   ///< its name
    std::string value;  ///< one of its values
    Depth depth;        ///< the shallowest profile that measures such instances
  };
  /// In the order of the calls.
  std::vector<DepthOfValue> value_depths;
  /// Set by classes_of(axis, value, classes).
  struct ClassesOfValue {
    std::string axis;                  ///< its name
    std::string value;                 ///< one of its values
    std::vector<std::string> classes;  ///< classes of such instances' metrics
  };
  /// In the order of the calls.
  std::vector<ClassesOfValue> value_classes;

  /// family/op or family/op/variant: the start of its instances' ids.
  std::string id() const;
  /// Unit of the quantity ("second", "byte/second", ...); "" with custom metrics only.
  std::string unit() const;
  /// True when clocks fall under the operation: power_heavy() was called, or the class implies it.
  bool draws_much_power() const;
  /// Estimated seconds that a process spends warming up, beyond what the family states; 0 unless power-heavy.
  double warm_seconds() const;
  /// Name of the metric for a statistic: "latency" for the median, otherwise for example "latency_p99".
  std::string metric_name(Statistic statistic) const;
};

std::string to_string(Quantity quantity);
std::string to_string(Statistic statistic);
std::string to_string(Depth depth);
/// Throws std::invalid_argument that names the word and the depths that exist.
Depth depth_from(const std::string& word);
/// lower for latency, higher for the others.
result::Direction direction(Quantity quantity);

Definition define(std::string family, std::string op);

/// A definition with one value chosen per axis.
struct Instance {
  /// A registered definition, which outlives every instance; never null.
  const Definition* definition = nullptr;
  result::Facts parameters;  ///< axis name -> value
  /// family/op or family/op/variant, and the value of each axis.
  std::string id;

  /// The shallowest profile that measures it.
  Depth depth() const;
  /// The id of the benchmark that it is held beside; "" = none.
  std::string beside() const;
  /// The classes of its metrics: those of its definition, or those set for one of its values by classes_of().
  const std::vector<std::string>& metric_classes() const;
};

/// Adds a definition to the family's list at start-up. Throws std::logic_error, which ends the process at
/// start, when the definition is incomplete, a word cannot stand in an id, or the id is taken.
class Registration {
 public:
  /// Takes the definition and keeps it until the process ends.
  explicit Registration(Definition definition);
};

/// Every registered definition, sorted by id.
std::vector<const Definition*> definitions();
/// Every instance of one definition, in the order of its axes' values.
std::vector<Instance> instances_of(const Definition& definition);
/// Every instance of every registered definition, sorted by id.
std::vector<Instance> instances();

}  // namespace gpugauge::bench
