// What a cause looks like: data for the reader and the pattern, and one pure function for the evidence.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/seen.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::diagnose {

/// How much of the remaining doubt a fact takes away: evidence is 1 - product(1 - weight).
namespace weight {
inline constexpr double proof = .85;  ///< the mechanism itself was seen
inline constexpr double strong = .7;  ///< hardly anything else explains it
inline constexpr double good = .5;    ///< one of two or three explanations
inline constexpr double fair = .35;   ///< fits, and fits other causes too
inline constexpr double hint = .2;    ///< makes it a little likelier
inline constexpr double faint = .1;   ///< one of very many explanations
}  // namespace weight

/// The highest score that is left to a cause. From `named` (.35) on a cause is a finding, from `confident` (.7)
/// on a confident one.
namespace bound {
inline constexpr double trace = .1;         ///< hardly anything
inline constexpr double remote = .2;        ///< far from a finding, and still worth asking for
inline constexpr double slight = .25;       ///< the same, before those
inline constexpr double unnamed = .3;       ///< just no finding
inline constexpr double last_named = .35;   ///< a finding behind every other
inline constexpr double weak = .4;          ///< something else explains it better
inline constexpr double below_half = .45;   ///< likelier not than so
inline constexpr double half = .5;          ///< as likely as not
inline constexpr double over_half = .55;    ///< likelier than not
inline constexpr double likely = .6;        ///< behind a mechanism that was seen
inline constexpr double unconfident = .65;  ///< likely and never confident
}  // namespace bound

/// A fact that counted.
struct Evidence {
  double weight = 0;      ///< share of the remaining doubt that it takes away, 0 to 1
  std::string text;       ///< a Fact's sentence, without a full stop
  bool recovers = false;  ///< Fact::recovers
};

/// What a signature's function says about one observation.
class Argument {
 public:
  /// Counts a fact that was seen; one sentence counts once, with its greatest weight. Returns whether it was
  /// seen.
  bool confirms(double weight, const Fact& fact);
  /// A fact that this cause does not allow: nothing is left of it.
  void rules_out(const Fact& fact) { at_most(0, fact); }
  /// A fact that was seen and leaves the cause no more than this score: it speaks against it.
  void at_most(double most, const Fact& fact);
  /// What would show this cause was not seen, which leaves it no more than this score. It does not speak
  /// against it: a report calls the cause not proven, never excluded.
  void unproven(double most, const Fact& fact);
  /// What fails does so by this cause, though its moves speak of slowness.
  void explains_failure() { explains_failure_ = true; }

  const std::vector<Evidence>& evidence() const { return evidence_; }  ///< in the order in which it was found
  /// Highest score that is left to the cause, 0 to 1.
  double most() const { return std::min(against_.most, open_.most); }
  bool is_of_failure() const { return explains_failure_; }  ///< explains_failure() was called
  /// What speaks against it, of the lowest such bound; "" where nothing does.
  const std::string& why_not() const { return against_.why; }
  /// Why it is not proven; "" where nothing is missing, or what speaks against it alone leaves it less than
  /// `least`.
  const std::string& why_unproven(double least) const;

 private:
  struct Bound {
    double most = 1;
    std::string why;
    void lower(double to, const Fact& fact);  ///< nothing where it is as low, or the fact was not seen
  };

  std::vector<Evidence> evidence_;
  bool explains_failure_ = false;
  Bound against_;
  Bound open_;
};

/// A cause that looks alike.
struct Confusion {
  std::string_view with;      ///< a cause
  std::string_view question;  ///< whose answer separates the two
};

/// What is at fault: decides how a finding is worded, and that a mechanism goes before who changed it.
enum class Subject {
  machine,   ///< hardware, settings, driver, host
  software,  ///< library, framework, application: the machine is in order
  change,    ///< only says which change brought it, not by what mechanism
};

/// One entry of the catalogue (diagnose/causes). All text lives as long as the program.
struct Signature {
  std::string_view name = {};   ///< the doctor's name for it where the doctor can find it too
  std::string_view title = {};  ///< one line, at most 100 characters, no full stop
  std::string_view what = {};   ///< one paragraph
  /// Expected movement per class: "gemm32 --, gemm16 0". 0 unchanged, - slower, -- more than twice as slow, x
  /// fails, ? either way. "" = no pattern, evidence alone.
  std::string_view moves = {};
  /// Settings and variables, by parts of their names, whose state is the whole cause: as they were when it
  /// was faster, they are not what made it slower.
  std::vector<std::string_view> stands_on = {};
  std::string_view confirms = {};  ///< what proves it, in words
  std::string_view excludes = {};  ///< what speaks against it, in words
  /// causes that look alike: a finding says why it is not each of them
  std::vector<Confusion> confused_with = {};
  stack::Severity severity = stack::Severity::warning;  ///< for the reader; no part of a score
  Subject subject = Subject::machine;                   ///< what is at fault
  /// A state that stays a fault while nothing is slower yet.
  bool latent = false;
  std::string_view next = {};                  ///< the command or step
  std::vector<std::string_view> reading = {};  ///< addresses to read on
  /// asks for the evidence; never null in the catalogue
  void (*examine)(const Seen& seen, Argument& argument) = nullptr;
};

}  // namespace gpugauge::diagnose
