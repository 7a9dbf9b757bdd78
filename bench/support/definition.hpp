// A benchmark as one object: what it isolates, its parameters, what it measures and how. Listing, measuring,
// verifying, judging and the docs tables all come from it. A benchmark is one file that registers one or more
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

/// What a batch's seconds are turned into.
enum class Quantity {
  latency,     ///< seconds per operation; lower is better
  bandwidth,   ///< declared bytes / seconds; higher is better
  throughput,  ///< declared flops / seconds; higher is better
  rate,        ///< declared items / seconds, unit operation/second; higher is better
};

/// How the batches become one value. mean is work over the wall time of the whole window (it tells a CPU
/// quota; on a GPU it holds the enqueueing of every batch too), the others are taken over batches, of which
/// each is a mean of its operations: one slow operation among many moves its batch by its share only. p90 and
/// p99 are the slow end, whatever the direction.
enum class Statistic { median, mean, p90, p99, minimum };

/// One parameter and the values it takes. Every combination of all axes is one instance.
struct Axis {
  /// The key of the parameter in a result: letters, digits, '_', '-' and '.'.
  std::string name;
  /// At least one, each once; words as they stand in the id, of the same characters.
  std::vector<std::string> values;
};

/// The profiles by how much they measure. An instance belongs to one profile and to every deeper one.
enum class Depth { smoke, quick, standard, deep, exhaustive };

/// What the machine must have for an instance to be measurable; what is missing skips it by name.
struct Requirements {
  /// A usable GPU.
  bool gpu = false;
  int minimum_compute_capability = 0;         ///< 80 for 8.0
  bool only_that_compute_capability = false;  ///< for instructions of one generation: wgmma is 9.0's alone
  int below_compute_capability = 0;           ///< 80 for GPUs before 8.0; 0 for no upper bound
  int devices = 1;                            ///< GPUs that one process needs to see
};

/// What is said of one benchmark, call by call. Every call but the constructor gives the definition back, so
/// that calls form one sentence. Where it says nothing else, a call throws nothing: what is missing or wrong
/// is found when it is registered.
class Definition {
 public:
  /// `family` and `op` are words of an id: the folder, and the file without its ending.
  Definition(std::string family, std::string op);

  /// One or two sentences on the mechanism that this benchmark isolates (docs/benchmarks.md is made of it).
  Definition& isolates(std::string sentence);
  /// What a bad value usually means.
  Definition& bad_value(std::string sentence);
  /// The variant, when a family holds several implementations of one op: family/op/variant/params.
  Definition& variant(std::string name);
  /// A parameter and the values it takes, at least one; the order of the axes is that of the id.
  Definition& axis(std::string name, std::vector<std::string> values);
  /// What is judged, and its class. Throws std::invalid_argument for a class that result::classes does not
  /// list.
  Definition& quantity(Quantity quantity, std::string metric_class);
  /// The metrics that are formed from the batches, one a statistic; the median alone unless this is called.
  Definition& statistics(std::vector<Statistic> statistics);
  /// Metrics that the body adds by hand with Trial::metric only (fits, ratios): no metric is formed from the
  /// batches. Either this or quantity() is called. `classes` are those of the metrics, the most stressed one
  /// first: what `--only CLASS` finds it by. Throws like quantity(), and where there is none.
  Definition& custom_metrics(std::vector<std::string> classes);
  /// The classes of the metrics of instances with `value` on an axis, instead of all that custom_metrics()
  /// names. The axis must have been named before. Throws like quantity().
  Definition& classes_of(const std::string& axis, const std::string& value, std::vector<std::string> classes);
  /// A GPU of this compute capability or a newer one: 80 for 8.0, 0 for any.
  Definition& requires_gpu(int minimum_compute_capability = 0);
  /// A GPU of exactly this compute capability: code that runs on one generation only (90 for wgmma).
  Definition& requires_gpu_of(int compute_capability);
  /// What stands in, on a GPU before this compute capability, for a benchmark that needs it (80 for 8.0): no
  /// GPU measures both, so that it adds nothing to the estimate of a profile. Newer GPUs leave it out of
  /// their results, unless nothing else is asked for.
  Definition& stands_in_below(int compute_capability);
  /// GPUs that one process must see (default 1); fewer skip the instance by name.
  Definition& requires_devices(int count);
  /// The shallowest profile that measures these instances (default Depth::standard).
  Definition& from(Depth depth);
  /// The same for instances with one of `values` on an axis, instead of what from(depth) says. Where several
  /// axes say something, the deepest counts. The axis must have been named before.
  Definition& from(Depth depth, const std::string& axis, const std::vector<std::string>& values);
  /// Seconds that one batch should last; the operations per batch are calibrated to it. Default 2 ms: 500
  /// batches a second, enough for a p99.
  Definition& batch_seconds(double seconds);
  /// Share of the profile's time window that this benchmark takes (default 1). A window of a second or more
  /// is not cut below one second: a shorter mean would not be judged.
  Definition& window_share(double share);
  /// The operation draws so much power that clocks fall under it: the GPU timer warms up until throughput and
  /// clock are steady (power_warm_up_after). What is of a class of products, convolutions or attention is so
  /// without being told.
  Definition& power_heavy();
  /// The longer it is measured, the more it shows: its window is what --gpugauge_sustained says, where that
  /// is given, instead of its share of the profile's.
  Definition& sustained();
  /// Repeating the operation must give the same bits; the body verifies it (Trial::verify_deterministic).
  Definition& deterministic();
  /// A healthy device comes near what its bus, link or units can do: the judge then holds the median to a
  /// floor, too. Only for what does so on every model and at every size of its axes (judge_physical knows
  /// which sizes of products are too small); noted as "saturating" with each result.
  Definition& saturating();
  /// What measures one instance. It may throw Skipped, Interrupted or anything that is a std::exception.
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
  /// One of result::classes: the first of all classes.
  std::string metric_class;
  /// The classes of all metrics that it makes, metric_class first.
  std::vector<std::string> metric_classes;
  /// Which metrics the batches become.
  std::vector<Statistic> statistic_kinds{Statistic::median};
  /// What the machine must have.
  Requirements requirements;
  /// Seconds that one batch should last, above 0.
  double batch_target_seconds = 2e-3;
  /// Share of the profile's time window, above 0.
  double window_factor = 1;
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
  /// The body; never empty once it is registered.
  std::function<void(Trial&)> run;
  /// What from(depth) says.
  Depth default_depth = Depth::standard;
  /// What from(depth, axis, values) says of one value.
  struct DepthOfValue {
    std::string axis;   ///< its name
    std::string value;  ///< one of its values
    Depth depth;        ///< the shallowest profile that measures such instances
  };
  /// In the order of the calls.
  std::vector<DepthOfValue> value_depths;
  /// What classes_of(axis, value, classes) says.
  struct ClassesOfValue {
    std::string axis;                  ///< its name
    std::string value;                 ///< one of its values
    std::vector<std::string> classes;  ///< of such instances' metrics
  };
  /// In the order of the calls.
  std::vector<ClassesOfValue> value_classes;

  /// family/op or family/op/variant: what its instances' ids start with.
  std::string id() const;
  /// Unit of the quantity ("second", "byte/second", ...); "" with custom metrics only.
  std::string unit() const;
  /// Whether clocks fall under the operation: power_heavy() was called, or the class says so.
  bool draws_much_power() const;
  /// Estimate of what warming up takes of a process beside what the family states; 0 unless it is
  /// power-heavy.
  double warm_seconds() const;
  /// Name of the metric that a statistic forms: "latency" for the median, else "latency_p99".
  std::string metric_name(Statistic statistic) const;
};

std::string to_string(Quantity quantity);
std::string to_string(Statistic statistic);
std::string to_string(Depth depth);
/// Throws std::invalid_argument, naming the word and the depths that exist.
Depth depth_from(const std::string& word);
/// lower for latency, higher for the others.
result::Direction direction(Quantity quantity);

Definition define(std::string family, std::string op);

/// A definition with one value chosen per axis.
struct Instance {
  /// Registered, so it outlives every instance; never null.
  const Definition* definition = nullptr;
  result::Facts parameters;  ///< axis name -> value
  /// family/op or family/op/variant, and the value of each axis.
  std::string id;

  /// The shallowest profile that measures it.
  Depth depth() const;
  /// The classes of its metrics: those of its definition, or what that says of one of its values.
  const std::vector<std::string>& metric_classes() const;
};

/// Puts a definition into the family's list at start-up. Throws std::logic_error (and so ends the process at
/// start) when it is incomplete, when a word in it could not stand in an id, or when its id is taken.
class Registration {
 public:
  /// Takes the definition; the process keeps it to its end.
  explicit Registration(Definition definition);
};

/// Every registered definition, sorted by id.
std::vector<const Definition*> definitions();
/// Every instance of one definition, in the order of its axes' values.
std::vector<Instance> instances_of(const Definition& definition);
/// Every instance of every registered definition, sorted by id.
std::vector<Instance> instances();

}  // namespace gpugauge::bench
