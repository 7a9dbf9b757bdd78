// The evidence vocabulary in which every signature is written (causes/*.cpp). Each question to an observation
// returns its evidence as a sentence, or nothing.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/observation.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {

/// What was seen, as one sentence without a full stop; empty where it was not seen.
class Fact : public std::optional<std::string> {
 public:
  using std::optional<std::string>::optional;

  /// True when somebody or a probe changed this one thing and the harm went away.
  bool recovers = false;

  /// Equal when both are unseen or have the same sentence, and `recovers` is equal.
  friend bool operator==(const Fact& a, const Fact& b) {
    return a.recovers == b.recovers && a.has_value() == b.has_value() && (!a || *a == *b);
  }
};

/// A fact which says that the harm went away after one thing was changed.
Fact recovering(std::string sentence);

/// A figure without a judgement is slower above this factor, faster below its inverse, and unchanged between.
/// Metric::judged takes precedence, because its author knows the noise.
inline constexpr double slower_from = 1.03;
/// A class counts as much slower from this factor on.
inline constexpr double much_slower_from = 2.0;

/// Selects figures: the figure's scope must contain each given word. "" = any.
struct Where {
  std::string_view op = {};                    ///< Scope::op
  std::string_view dtype = {};                 ///< Scope::dtype
  std::string_view layout = {};                ///< Scope::layout
  std::string_view size = {};                  ///< Scope::size
  std::optional<bool> aligned = std::nullopt;  ///< exact match; nullopt = any
  std::string_view library = {};               ///< Scope::library
  std::string_view gpu = {};                   ///< Scope::gpu
  std::string_view framework = {};             ///< Scope::framework
  std::string_view phase = {};                 ///< Scope::phase
  std::string_view path = {};                  ///< Scope::path
};

/// How a class moved, over all its figures with a factor.
enum class Movement { not_measured, faster, unchanged, mixed, slower, much_slower, fails };

/// Answers questions about one observation, and never changes it.
class Seen {
 public:
  /// Keeps a reference: the observation must outlive this object.
  explicit Seen(const Observation& observation) : it_(&observation) {}
  const Observation& it() const { return *it_; }  ///< The observation itself, for what no question covers.

  // -- figures; an empty list of classes = any class
  /// Matching figures, in their order; they belong to the observation.
  std::vector<const Metric*> metrics(Words classes, const Where& where = {}) const;
  /// The slowest matching figure that is slower by at least this factor; a failing figure is slowest. A
  /// figure without a factor counts by the reporter's words if `at_least` is at most slower_from.
  Fact slower(Words classes, const Where& where = {}, double at_least = slower_from) const;
  /// A figure that should have been faster and is not, as its note says: "fp8 no faster than bf16".
  Fact no_gain(const Where& where = {}) const;
  /// The first matching figure that does not run at all.
  Fact fails(Words classes, const Where& where = {}) const;
  /// There are matching figures, and none of them is slower.
  Fact unchanged(Words classes, const Where& where = {}) const;
  /// not_measured where no figure of the class has a factor or fails.
  Movement movement(std::string_view metric_class) const;
  /// True when some figure has a factor.
  bool compared() const;
  /// True when anything is slower, fails, is reported as an error, or runs where it should not.
  bool harm() const;
  /// The same without what lines of a log tell: a word such as "error" in one proves nothing.
  bool harm_beside_lines() const;
  /// True when figures were compared, none is slower, and nothing else went wrong.
  bool healthy() const { return compared() && !harm(); }

  // -- telemetry and inventory
  /// nullptr: not looked for, or unknown. A key that appears only under `changed` or `settings` is read
  /// there.
  const Value* telemetry(std::string_view key) const;
  /// Like telemetry(). A null value is returned where null means that there is none (Key::absent_tells).
  const Value* inventory(std::string_view key) const;
  /// The number of a telemetry or inventory key; nullopt where unknown.
  std::optional<double> number(std::string_view key) const;
  bool known(std::string_view key) const;  ///< in telemetry or inventory
  /// Present in telemetry or inventory and switched on. Given patterns, it must contain one of them.
  Fact on(std::string_view key, Words patterns = {}) const;
  /// Present in telemetry or inventory and switched off.
  Fact off(std::string_view key) const;
  /// The key's number is known and at least this, in the key's unit.
  Fact at_least(std::string_view key, double least) const;
  /// The key's number is known and below this, in the key's unit.
  Fact less_than(std::string_view key, double most) const;
  /// `key` is below `share` * `reference`; both are known.
  Fact below(std::string_view key, std::string_view reference, double share = .97) const;
  /// A quantity whose name contains this moved in one of these directions (movements).
  Fact moved(std::string_view quantity, Words directions) const;
  /// One of these throttle reasons was reported.
  Fact throttled(Words reasons) const;
  /// The reasons were read, and none of them slows: empty, none or idle.
  Fact not_throttled() const;
  /// The power cap lowers the clock, at a limit that is not known to be below the default.
  Fact capped_by_design() const;
  /// Two inventory facts should have the same version but do not. Versions of unequal length are compared up
  /// to the shorter length.
  Fact versions_differ(std::string_view key, std::string_view other) const;

  // -- environment, settings, texts
  /// A variable of this name is set, or appears among the settings, with one of these values if any are
  /// given. A "*" at the end of either matches anything. Case does not count.
  Fact environment(std::string_view name, Words values = {}) const;
  /// A setting, or a changed setting, whose name contains `name` and whose value contains one of these.
  Fact setting(std::string_view name, Words values) const;
  /// A setting whose name contains `name` and whose value is off (Value::off).
  Fact setting_off(std::string_view name) const;
  /// An error with this number or one of these names, even if only its text or a log line says so.
  Fact error(int code, Words names) const;
  /// Like error(), for NVML, which has its own numbers: a number found only in a text does not count.
  Fact nvml_error(int code, Words names) const;
  /// A log line or the text of an error contains one of these, and none of `unless`.
  Fact said(Words patterns, Words unless = {}) const;
  /// Like said(), and also searches notes of figures and settings as "name = value". For a setting the match
  /// must include part of the value, because a name alone means nothing.
  Fact told(Words patterns, Words unless = {}) const;
  /// A line of the log, or the note of a figure, has one of these Xid numbers.
  Fact xid(const std::vector<int>& numbers) const;
  Fact kernel(Words patterns) const;  ///< A kernel ran whose name contains one of these.
  /// A machine instruction (one of these, if given) is absent or occurs less often than before.
  Fact instruction_lost(Words patterns = {}) const;

  // -- what was changed, what was tried
  /// Components that changed: driver, nccl, cudnn, cublas, cuda, framework, application, harness, container,
  /// container_toolkit, os.
  std::set<std::string> changed_components() const;
  /// One of these components changed or may have: an unknown side counts as changed.
  Fact changed(Words components) const;
  /// True when components changed and all of them are among these. Settings do not count.
  bool changed_only(Words components) const;
  /// A changed setting whose name contains this.
  Fact field_changed(std::string_view name) const;
  /// A setting is on now, and was off or unknown before.
  Fact turned_on(std::string_view name) const;
  /// A setting now contains one of these words and did not before.
  Fact changed_to(std::string_view name, Words words) const;
  /// A number became smaller (less) or larger (more).
  Fact became_less(std::string_view name) const;
  Fact became_more(std::string_view name) const;  ///< A number became larger.
  /// True where all that differs from an earlier time, or from peers, is listed as changed.
  bool knows_all_changes() const;
  /// The fields with one of these in their names are unchanged, so they do not explain the difference.
  /// Requires knows_all_changes(). Empty where an error was seen, or something fails or is slow against a physical limit, because that needs no other side.
  Fact as_before(const std::vector<std::string_view>& names) const;
  /// The component is known to have the same version on both sides. Requires knows_all_changes() without this
  /// component in the list. Where its own version is unknown, it
  /// may have come with another changed component.
  Fact same_version(std::string_view component) const;
  /// Some changed field contained this word before and does not now.
  Fact word_lost(std::string_view word) const;
  /// This probe had one of these outcomes. Given details, its detail contains one of them as a word.
  Fact probe(std::string_view name, Words outcomes, Words details = {}) const;
  /// The component's old version was put back, with one of these outcomes. A later version than the present one, which
  /// clears nothing, counts only where it recovers.
  Fact undone(std::string_view component, Words outcomes) const;
  /// A setting, variable or version with one of these in its detail was changed, and the harm went away.
  /// `share`, if given, becomes 1 / the number of settings changed at once.
  Fact recovers_by(Words details, double* share = nullptr) const;
  /// A setting or variable with one of these in its detail was changed, and nothing moved or it got worse.
  Fact unmoved_by(Words details) const;
  /// The model's name contains one of these, even within a word: "GH200" contains "H200".
  Fact gpu_is(Words models) const;
  /// The model's name contains one of these as whole words: "H200" does not match "GH200".
  Fact gpu_named(Words models) const;
  /// The framework's name, in the inventory or a figure's scope, contains one of these.
  Fact framework_is(Words names) const;

 private:
  /// The key's value in another part of the observation: the later side of a change, or a setting.
  const Value* elsewhere(std::string_view part, std::string_view key) const;

  const Observation* it_;
};

/// The value of a figure that is a time, in seconds; nullopt for any other.
std::optional<double> seconds_of(const Metric& metric);

/// It has a factor and is slower: by its judgement or, without one, by its size.
bool slower_by_figure(const Metric& metric);
/// It has a factor and is faster: by its judgement or, without one, by its size.
bool faster_by_figure(const Metric& metric);

/// It has no figure to compare but is judged slower or called so by the note, or it is a start that takes too
/// long in any comparison.
bool is_noted_slower(const Metric& metric);
/// True when a line reports something wrong. A line that counts zero faults does not.
bool tells_of_harm(const std::string& line);

/// "gemm16 (bf16, torch) is 1.40 times as slow".
std::string sentence(const Metric& metric);

}  // namespace gpugauge::diagnose
