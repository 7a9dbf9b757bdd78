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
class Fact : public std::optional<std::string> {
 public:
  using std::optional<std::string>::optional;

  /// Somebody changed this one thing, or a probe did, and the harm went.
  bool recovers = false;

  /// The same sentence, or neither was seen, and recovering alike.
  friend bool operator==(const Fact& a, const Fact& b) {
    return a.recovers == b.recovers && a.has_value() == b.has_value() && (!a || *a == *b);
  }
};

/// The fact that changing one thing made the harm go.
Fact recovering(std::string sentence);

/// A figure that nobody judged counts as slower from here on, as unchanged up to here; below its inverse it
/// is faster. Who knows the noise says it himself (Metric::judged).
inline constexpr double slower_from = 1.03;
/// From this factor on a class counts as much slower.
inline constexpr double much_slower_from = 2.0;

/// Which figures are meant: a scope's word must hold the given one. "" = whatever it says.
struct Where {
  std::string_view op = {};                    ///< Scope::op
  std::string_view dtype = {};                 ///< Scope::dtype
  std::string_view layout = {};                ///< Scope::layout
  std::string_view size = {};                  ///< Scope::size
  std::optional<bool> aligned = std::nullopt;  ///< exactly this one; nullopt = whatever it says
  std::string_view library = {};               ///< Scope::library
  std::string_view gpu = {};                   ///< Scope::gpu
  std::string_view framework = {};             ///< Scope::framework
  std::string_view phase = {};                 ///< Scope::phase
  std::string_view path = {};                  ///< Scope::path
};

/// How a class moved, over all its figures that have a factor.
enum class Movement { not_measured, faster, unchanged, mixed, slower, much_slower, fails };

/// One observation under questions. A question never changes it.
class Seen {
 public:
  /// Keeps a reference: the observation must live longer.
  explicit Seen(const Observation& observation) : it_(&observation) {}
  const Observation& it() const { return *it_; }  ///< The observation itself, for what no question asks.

  // -- figures; no class given = any class
  /// Such figures, in their order; they belong to the observation.
  std::vector<const Metric*> metrics(Words classes, const Where& where = {}) const;
  /// The slowest such figure that is slower by at least this factor; one that fails is slowest. Without a
  /// factor, the reporter's word for it counts where `at_least` is no more than slower_from.
  Fact slower(Words classes, const Where& where = {}, double at_least = slower_from) const;
  /// A figure that was meant to be faster, is not, and whose note says so: "fp8 no faster than bf16".
  Fact no_gain(const Where& where = {}) const;
  /// The first such figure that does not run at all.
  Fact fails(Words classes, const Where& where = {}) const;
  /// There are such figures, and none of them is slower.
  Fact unchanged(Words classes, const Where& where = {}) const;
  /// not_measured where no figure of the class has a factor and none fails.
  Movement movement(std::string_view metric_class) const;
  /// Some figure has a factor.
  bool compared() const;
  /// Anything is slower, failing, reported as an error, or was seen to run where it should not.
  bool harm() const;
  /// Figures were compared, none is slower, and nothing else went wrong.
  bool healthy() const { return compared() && !harm(); }

  // -- telemetry and inventory
  /// nullptr: not looked for, or not known. A key that stands under `changed` or `settings` only is read
  /// there.
  const Value* telemetry(std::string_view key) const;
  /// The same; a null value, where null tells that there is none (Key::absent_tells).
  const Value* inventory(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  ///< of either; nullopt where unknown
  bool known(std::string_view key) const;                    ///< of either
  /// Present in either and switched on; where patterns are given, it must hold one of them.
  Fact on(std::string_view key, Words patterns = {}) const;
  /// Present in either and switched off.
  Fact off(std::string_view key) const;
  /// The number of either is known and not smaller, in the key's unit.
  Fact at_least(std::string_view key, double least) const;
  /// The number of either is known and smaller, in the key's unit.
  Fact less_than(std::string_view key, double most) const;
  /// `key` is below `share` of `reference`, both known.
  Fact below(std::string_view key, std::string_view reference, double share = .97) const;
  /// A quantity whose name holds this moved in one of these directions (movements).
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
  /// A variable of this name, also where it stands among the settings, with one of these values if any are
  /// given; a "*" at the end of either stands for anything. Capitals do not matter.
  Fact environment(std::string_view name, Words values = {}) const;
  /// A setting, also one that changed, whose name holds `name`, with a value that holds one of these.
  Fact setting(std::string_view name, Words values) const;
  /// A setting whose name holds `name` and whose value says no (Value::off).
  Fact setting_off(std::string_view name) const;
  /// An error of one of these numbers or names; also where only its text or a log line says so.
  Fact error(int code, Words names) const;
  /// The same for NVML, whose numbers are its own: one that stands in a text only is not taken for it.
  Fact nvml_error(int code, Words names) const;
  /// A line of a log or the text of an error holds one of these, and none of `unless`.
  Fact said(Words patterns, Words unless = {}) const;
  /// The same, or the reporter's own words: the note of a figure, or a setting as "name = value" whose value
  /// is part of it: its name alone tells nothing.
  Fact told(Words patterns, Words unless = {}) const;
  /// The kernel log has one of these Xid numbers.
  Fact xid(std::initializer_list<int> numbers) const;
  Fact kernel(Words patterns) const;  ///< A kernel was seen running whose name holds one of these.
  /// A machine instruction, of these if any are given, is absent or stands there less often than before.
  Fact instruction_lost(Words patterns = {}) const;

  // -- what was changed, what was tried
  /// Components that changed: driver, nccl, cudnn, cublas, cuda, framework, application, harness, container,
  /// container_toolkit, os.
  std::set<std::string> changed_components() const;
  /// One of these components changed, or may have: a side that is not known counts as changed.
  Fact changed(Words components) const;
  /// Some components changed, all of them among these. Settings do not count.
  bool changed_only(Words components) const;
  /// A field that is a setting changed: one whose name holds this.
  Fact field_changed(std::string_view name) const;
  /// A setting was switched on: it was off, or nobody knows, and is on.
  Fact turned_on(std::string_view name) const;
  /// A setting holds one of these words that it did not hold before.
  Fact changed_to(std::string_view name, Words words) const;
  /// A number became smaller, or larger.
  Fact became_less(std::string_view name) const;
  Fact became_more(std::string_view name) const;  ///< larger
  /// It is as it was on the other side, and so does not make the difference: all that differs is known
  /// (About::changed_is_all), and no such field has one of these in its name. Nothing where something fails
  /// or is slow against a physical limit: that needs no other side.
  Fact as_before(const std::vector<std::string_view>& names) const;
  /// It is known that this component is of the same version on both sides: all that differs is known
  /// (About::changed_is_all), and it is not among that. Where its own version is not known it may have come
  /// with another component that changed.
  Fact same_version(std::string_view component) const;
  /// Some changed field held this word before and does not after.
  Fact word_lost(std::string_view word) const;
  /// This probe had one of these outcomes; where details are given, its detail holds one of them as a word.
  Fact probe(std::string_view name, Words outcomes, Words details = {}) const;
  /// The old version of a component was put back: with this outcome.
  Fact undone(std::string_view component, Words outcomes) const;
  /// Some setting, variable or version was changed, its detail holds one of these, and it recovered. `share`,
  /// if given, becomes 1 / the number of settings that were changed at once.
  Fact recovers_by(Words details, double* share = nullptr) const;
  /// A setting or variable was changed, its detail holds one of these, and nothing moved or it got worse.
  Fact unmoved_by(Words details) const;
  /// The model's name holds one of these, be it within a word: "H200" is in "GH200", too.
  Fact gpu_is(Words models) const;
  /// The model's name holds one of these as whole words: "H200", and no "GH200".
  Fact gpu_named(Words models) const;
  /// The framework's name, in the inventory or in the scope of a figure, holds one of these.
  Fact framework_is(Words names) const;

 private:
  /// What another part of the observation says of a key: the later side of a change, or a setting.
  const Value* elsewhere(std::string_view part, std::string_view key) const;

  const Observation* it_;
};

/// The value of a figure that is a time, in seconds; nullopt for any other.
std::optional<double> seconds_of(const Metric& metric);

/// It has a factor and is slower: as it was judged, and where nobody did by its size.
bool slower_by_figure(const Metric& metric);
/// The same for faster.
bool faster_by_figure(const Metric& metric);

/// It has no figure to compare, and the note calls it slower; or it is a start that takes too long whatever
/// it is compared with.
bool is_noted_slower(const Metric& metric);

/// "gemm16 (bf16, torch) is 1.40 times as slow".
std::string sentence(const Metric& metric);

}  // namespace gpugauge::diagnose
