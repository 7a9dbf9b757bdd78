// The evidence vocabulary: questions to an observation, each answered by the sentence that is evidence, or by
// nothing. Every signature is written in these words (causes/*.cpp).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/observation.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {

/// What was seen, as one sentence without a full stop; nothing where it was not seen.
using Fact = std::optional<std::string>;

/// A figure counts as slower from here on, as unchanged up to here; below its inverse it is faster.
inline constexpr double slower_from = 1.03;
inline constexpr double much_slower_from = 2.0;

/// Which figures are meant: a scope's word must hold the given one. "" = whatever it says.
struct Where {
  std::string_view op = {};
  std::string_view dtype = {};
  std::string_view layout = {};
  std::string_view size = {};
  std::optional<bool> aligned = std::nullopt;
  std::string_view library = {};
  std::string_view gpu = {};
  std::string_view framework = {};
  std::string_view phase = {};
  std::string_view path = {};
};

/// How a class moved, over all its figures that have a factor.
enum class Movement { not_measured, faster, unchanged, mixed, slower, much_slower, fails };

class Seen {
 public:
  /// Keeps a reference: the observation must live longer.
  explicit Seen(const Observation& observation) : it_(&observation) {}
  const Observation& it() const { return *it_; }

  // -- figures; no class given = any class
  std::vector<const Metric*> metrics(Words classes, const Where& where = {}) const;
  /// The slowest such figure that is slower by at least this factor, failing ones included.
  Fact slower(Words classes, const Where& where = {}, double at_least = slower_from) const;
  Fact fails(Words classes, const Where& where = {}) const;
  /// There are such figures, and none of them is slower.
  Fact unchanged(Words classes, const Where& where = {}) const;
  Movement movement(std::string_view metric_class) const;
  /// Some figure has a factor.
  bool compared() const;
  /// Anything is slower, failing, reported as an error, or was seen to run where it should not.
  bool harm() const;
  /// Figures were compared, none is slower, and nothing else went wrong.
  bool healthy() const { return compared() && !harm(); }

  // -- telemetry and inventory
  const Value* telemetry(std::string_view key) const;
  const Value* inventory(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  ///< of either; nullopt where unknown
  bool known(std::string_view key) const;                    ///< of either, null included
  /// Present in either and switched on; where patterns are given, it must hold one of them.
  Fact on(std::string_view key, Words patterns = {}) const;
  /// Present in either and switched off, null included.
  Fact off(std::string_view key) const;
  Fact at_least(std::string_view key, double least) const;
  /// `key` is below `share` of `reference`, both known.
  Fact below(std::string_view key, std::string_view reference, double share = .97) const;
  Fact moved(std::string_view quantity, Words directions) const;
  /// One of these throttle reasons was given.
  Fact throttled(Words reasons) const;
  /// The reasons were read and none of them slows: empty, none or idle.
  Fact not_throttled() const;
  /// The power cap holds the clock back, at a limit that is not known to be below the default.
  Fact capped_by_design() const;
  /// Two inventory facts that should be one version and are not. Versions of unequal length are compared as
  /// far as the shorter goes.
  Fact versions_differ(std::string_view key, std::string_view other) const;

  // -- environment, settings, texts
  /// A variable of this name (a "*" stands for anything), with one of these values if any are given.
  Fact environment(std::string_view name, Words values = {}) const;
  /// A setting whose name holds `name`, with a value that holds one of these.
  Fact setting(std::string_view name, Words values) const;
  Fact setting_off(std::string_view name) const;
  /// An error of one of these numbers or names; also where only its text or a log line says so.
  Fact error(int code, Words names) const;
  Fact nvml_error(int code, Words names) const;
  /// A line of a log or the text of an error holds one of these.
  Fact said(Words patterns) const;
  /// The kernel log has one of these Xid numbers.
  Fact xid(std::initializer_list<int> numbers) const;
  Fact kernel(Words patterns) const;
  Fact instruction_lost(Words patterns = {}) const;

  // -- what was changed, what was tried
  /// Components that changed: driver, nccl, cudnn, cublas, cuda, framework, application, harness, container,
  /// container_toolkit, os.
  std::set<std::string> changed_components() const;
  Fact changed(Words components) const;
  bool changed_only(Words components) const;
  /// A field that is a setting changed: one whose name holds this.
  Fact field_changed(std::string_view name) const;
  /// Some changed field held this word before and does not after.
  Fact word_lost(std::string_view word) const;
  Fact probe(std::string_view name, Words outcomes, Words details = {}) const;
  /// The old version of a component was put back: with this outcome.
  Fact undone(std::string_view component, Words outcomes) const;
  /// Some setting, variable or version was changed, its detail holds one of these, and it recovered. `share`,
  /// if given, becomes 1 / the number of settings that were changed at once.
  Fact recovers_by(Words details, double* share = nullptr) const;
  /// The same, and nothing moved.
  Fact unmoved_by(Words details) const;
  /// The model's name holds one of these.
  Fact gpu_is(Words models) const;
  Fact framework_is(Words names) const;

 private:
  const Observation* it_;
};

/// "gemm16 (bf16, torch) is 1.40 times as slow".
std::string sentence(const Metric& metric);

}  // namespace gpugauge::diagnose
