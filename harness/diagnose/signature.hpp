// The signature of a cause: text for the reader, the pattern, and one pure function for the evidence.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/seen.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::diagnose {

/// Share of the remaining doubt that a fact removes: evidence is 1 - product(1 - weight).
namespace weight {
inline constexpr double proof = .85;  ///< the mechanism itself was seen
inline constexpr double strong = .7;  ///< hardly anything else explains it
inline constexpr double good = .5;    ///< one of two or three explanations
inline constexpr double fair = .35;   ///< fits, but fits other causes too
inline constexpr double hint = .2;    ///< makes it slightly more likely
inline constexpr double faint = .1;   ///< one of very many explanations
}  // namespace weight

/// Highest score left to a cause. From `named` (.35) on it is a finding, from `confident` (.7) on a confident
/// one.
namespace bound {
inline constexpr double trace = .1;         ///< almost nothing
inline constexpr double remote = .2;        ///< far from a finding, but still worth a question
inline constexpr double slight = .25;       ///< as remote, but ranked before those
inline constexpr double unnamed = .3;       ///< just below a finding
inline constexpr double last_named = .35;   ///< a finding ranked behind every other
inline constexpr double weak = .4;          ///< something else explains it better
inline constexpr double below_half = .45;   ///< less likely than not
inline constexpr double half = .5;          ///< as likely as not
inline constexpr double over_half = .55;    ///< more likely than not
inline constexpr double likely = .6;        ///< ranked behind a mechanism that was seen
inline constexpr double unconfident = .65;  ///< likely but never confident
}  // namespace bound

/// A fact that counted.
struct Evidence {
  double weight = 0;      ///< share of the remaining doubt that it removes, 0 to 1
  std::string text;       ///< a Fact's sentence, without a full stop
  bool recovers = false;  ///< Fact::recovers
};

/// A signature's argument about one observation.
class Argument {
 public:
  /// Counts a fact if it was seen; a repeated sentence counts once, with its greatest weight. Returns whether
  /// the fact was seen.
  bool confirms(double weight, const Fact& fact);
  /// A seen fact that excludes this cause: its score becomes 0.
  void rules_out(const Fact& fact) { at_most(0, fact); }
  /// A seen fact that speaks against this cause and limits its score to `most`.
  void at_most(double most, const Fact& fact);
  /// The proof of this cause was not seen, which limits its score to `most`. Reports then call the cause not
  /// proven, never excluded.
  void unproven(double most, const Fact& fact);
  /// This cause explains the failure, although its moves predict only slowness.
  void explains_failure() { explains_failure_ = true; }

  /// An event was seen that needs to slow nothing else: figures that are as before do not contradict it.
  void is_an_event() { event_ = true; }

  /// The state itself was compared with the other side, and is new: what it stands on may be as before.
  void is_new() { new_ = true; }

  const std::vector<Evidence>& evidence() const { return evidence_; }  ///< in the order of confirms()
  /// Highest score left to the cause, 0 to 1.
  double most() const { return std::min(against_.most, open_.most); }
  bool is_of_failure() const { return explains_failure_; }  ///< explains_failure() was called
  bool is_of_event() const { return event_; }               ///< is_an_event() was called
  bool is_of_new() const { return new_; }                   ///< is_new() was called
  /// The lowest bound's reason against the cause; "" where nothing speaks against it.
  const std::string& why_not() const { return against_.why; }
  /// Why the cause is not proven. "" where nothing is missing, or where the facts against it limit it below
  /// `least` or at least as much.
  const std::string& why_unproven(double least) const;

 private:
  struct Bound {
    double most = 1;
    std::string why;
    void lower(double to, const Fact& fact);  ///< no effect if already as low, or if the fact was not seen
  };

  std::vector<Evidence> evidence_;
  bool explains_failure_ = false;
  bool event_ = false;
  bool new_ = false;
  Bound against_;
  Bound open_;
};

/// A similar cause.
struct Confusion {
  std::string_view with;      ///< a cause
  std::string_view question;  ///< question whose answer separates the two
};

/// What is at fault. It decides how a finding is worded. A mechanism ranks before the change that brought it.
enum class Subject {
  machine,   ///< hardware, settings, driver, host
  software,  ///< library, framework, application: the machine is healthy
  change,    ///< names only the change that brought it, not the mechanism
};

/// One entry of the catalogue (diagnose/causes). All text lives as long as the program.
struct Signature {
  std::string_view name = {};   ///< the doctor's name for it if the doctor finds it too
  std::string_view title = {};  ///< one line, at most 100 characters, no full stop
  std::string_view what = {};   ///< one paragraph
  /// Expected movement per class: "gemm32 --, gemm16 0". 0 unchanged, - slower, -- more than twice as slow, x
  /// fails, ? either. "" = no pattern, only evidence.
  std::string_view moves = {};
  /// Settings and variables (parts of their names) whose state is the entire cause. If they are unchanged
  /// since it was faster, this cause is excluded.
  std::vector<std::string_view> stands_on = {};
  std::string_view confirms = {};  ///< what proves it, in words
  std::string_view excludes = {};  ///< what speaks against it, in words
  /// Similar causes: a finding says why it is not each of them.
  std::vector<Confusion> confused_with = {};
  stack::Severity severity = stack::Severity::warning;  ///< for the reader; does not affect the score
  Subject subject = Subject::machine;                   ///< what is at fault
  /// The state is a fault even while nothing is slower yet.
  bool latent = false;
  std::string_view next = {};                  ///< command or step to take
  std::vector<std::string_view> reading = {};  ///< addresses for further reading
  /// Collects the evidence; never null in the catalogue.
  void (*examine)(const Seen& seen, Argument& argument) = nullptr;
};

}  // namespace gpugauge::diagnose
