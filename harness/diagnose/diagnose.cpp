// Scores every cause of the catalogue and builds the diagnosis from the scores.
#include "diagnose/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "diagnose/pattern.hpp"
#include "diagnose/probes.hpp"

namespace gpugauge::diagnose {
namespace {

/// A cause that names only the change is limited when a cause that names the mechanism reaches this score.
constexpr double mechanism_known = .6;
constexpr double most_beside_mechanism = .5;
/// A seen fact need not be the reason: a variable may slow launches while only copies are slow.
constexpr double most_beside_the_point = .45;
/// Highest score of a state that already existed when the work was faster.
constexpr double most_as_before = .5;
/// From this score on, something pointed to a cause.
constexpr double pointed_to = .15;
constexpr std::size_t excluded_most = 8;

/// Rounded for printing and comparing: 0.1 + 0.2 must not rank above 0.3.
double rounded(double score) {
  constexpr double steps = 1000;
  return std::round(score * steps) / steps;
}

/// True when the mechanism itself was switched and the fault went away. That counts more than whether the
/// harm is of the usual kind.
bool was_switched(const Argument& argument) {
  return std::any_of(argument.evidence().begin(), argument.evidence().end(),
                     [](const Evidence& one) { return one.weight >= weight::strong && one.recovers; });
}

Scored score(const Signature& signature, const Seen& seen, const Weights& weights) {
  Scored out;
  out.signature = &signature;
  signature.examine(seen, out.argument);
  double doubt = 1;
  for (const Evidence& evidence : out.argument.evidence()) doubt *= 1 - evidence.weight;
  const std::vector<Move> moves = parse_moves(signature.moves);
  const bool of_failure = out.argument.is_of_failure();
  if (!of_failure && !concerns(moves, seen))
    out.argument.at_most(most_beside_the_point, Fact("what is slower is not what it slows"));
  if (!of_failure && only_fails(moves, seen) && !was_switched(out.argument))
    out.argument.at_most(most_beside_the_point, Fact("something fails, and it only slows"));
  Fit movements = fit(moves, seen);
  if (out.argument.is_of_event() && movements.match < 0) movements = {};
  if (!out.argument.evidence().empty() && !was_switched(out.argument) && !out.argument.is_of_new())
    out.argument.at_most(most_as_before, seen.as_before(signature.stands_on));
  out.match = movements.match;
  out.fitting = movements.fitting;
  out.contradicting = movements.contradicting;
  double evidence = 1 - doubt;
  double pattern = out.match > 0 ? doubt * weights.pattern * out.match : 0;
  if (out.match < 0) evidence *= 1 + weights.contradiction * out.match;
  // Many causes share a pattern, so a pattern alone names none.
  if (out.argument.evidence().empty()) pattern = std::min(pattern, weights.pattern);
  const double whole = evidence + pattern;
  const double most = out.argument.most();
  if (whole > most) {
    evidence *= most / whole;
    pattern *= most / whole;
  }
  out.from_evidence = evidence;
  out.score = rounded(evidence + pattern);
  return out;
}

bool by_score(const Scored& a, const Scored& b) {
  return a.score > b.score;
}

/// Once a mechanism is known, limits the causes that name only the change.
void prefer_mechanisms(std::vector<Scored>& scored) {
  const bool known = std::any_of(scored.begin(), scored.end(), [](const Scored& one) {
    return one.signature->subject != Subject::change && one.score >= mechanism_known;
  });
  if (!known) return;
  for (Scored& one : scored)
    if (one.signature->subject == Subject::change) {
      const double most = std::min(one.score, most_beside_mechanism);
      if (one.score > 0) one.from_evidence *= most / one.score;
      one.score = most;
    }
}

/// Limits the confident causes whose known reports do not read like the observation. Only causes of the catalogue have
/// a place among those that do: a site's own names, and what the doctor alone finds, push none out.
void doubt_unlike(std::vector<Scored>& scored, const std::vector<Alike>& alike, const ReportIndex& known) {
  std::set<std::string_view> considered;
  for (const Alike& one : alike)
    if (considered.size() < alike_considered && find_signature(one.cause) != nullptr)
      considered.insert(one.cause);
  for (Scored& one : scored) {
    if (one.score < confident || one.argument.is_of_event() || !known.knows(one.signature->name) ||
        considered.contains(one.signature->name))
      continue;
    one.from_evidence *= bound::unconfident / one.score;
    one.score = bound::unconfident;
    one.unlike = true;
  }
  std::stable_sort(scored.begin(), scored.end(), by_score);
}

/// Known reports hold few lines. What a whole log has in common with them was never counted.
bool is_whole_log(const Observation& observation) {
  constexpr std::size_t few = 20;
  return observation.log.size() > few;
}

/// What is compared with known reports: of a whole log the lines that tell of harm.
Observation lines_that_matter(const Observation& observation) {
  if (!is_whole_log(observation)) return observation;
  Observation out = observation;
  std::erase_if(out.log, [](const std::string& line) { return !tells_of_harm(line); });
  return out.log.empty() ? observation : out;
}

const Scored* find(const std::vector<Scored>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Scored& one) { return one.signature->name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// True when most classes moved the wrong way, which speaks against the cause like a fact.
bool is_contradicted(const Scored& one) {
  return one.match < 0 && !one.contradicting.empty();
}

std::string why_unproven(const Scored& one, double least) {
  return is_contradicted(one) ? "" : one.argument.why_unproven(least);
}

std::string why_not(const Scored& one) {
  if (!one.argument.why_not().empty()) return one.argument.why_not();
  if (!one.contradicting.empty()) return one.contradicting.front();
  return "";
}

bool is_named(const Scored& one, double least) {
  return one.score >= least && !one.argument.evidence().empty();
}

/// Adds a finding's similar causes, each with what speaks against it or is missing. Causes that are findings
/// themselves are left out. (The cause's page has the question that separates the two.)
void add_confusions(const Scored& chosen, const std::vector<Scored>& all, double least, Finding& out) {
  for (const Confusion& confusion : chosen.signature->confused_with) {
    const Scored* other = find(all, confusion.with);
    if (other == nullptr || other->score >= chosen.score || is_named(*other, least)) continue;
    if (std::string missing = why_unproven(*other, least); !missing.empty()) {
      out.unproven.push_back({std::string(confusion.with), std::move(missing)});
      continue;
    }
    if (std::string why = why_not(*other); !why.empty())
      out.excluded.push_back({std::string(confusion.with), std::move(why)});
    else
      out.unproven.push_back({std::string(confusion.with),
                              other->argument.evidence().empty()
                                  ? "nothing that was seen points to it"
                                  : fmt::format("what was seen supports {} more", chosen.signature->name)});
  }
}

/// Removes from a text of two facts the one that is also given by itself, so that no fact appears twice.
std::string without_others(const std::string& text, const std::vector<Evidence>& all) {
  constexpr std::string_view between = "; ";
  for (const Evidence& other : all) {
    if (other.text.size() + between.size() >= text.size()) continue;
    const std::string first = other.text + std::string(between);
    const std::string last = std::string(between) + other.text;
    if (text.starts_with(first)) return text.substr(first.size());
    if (text.ends_with(last)) return text.substr(0, text.size() - last.size());
  }
  return text;
}

Finding finding_of(const Scored& one, const std::vector<Scored>& all, double least) {
  Finding out;
  out.cause = one.signature->name;
  out.score = one.score;
  out.from_evidence = rounded(one.from_evidence);
  out.from_pattern = std::max(0.0, rounded(one.score - out.from_evidence));
  std::vector<Evidence> evidence = one.argument.evidence();
  std::stable_sort(evidence.begin(), evidence.end(),
                   [](const Evidence& a, const Evidence& b) { return a.weight > b.weight; });
  for (const Evidence& fact : evidence) out.evidence.push_back(without_others(fact.text, evidence));
  for (const std::string& fact : one.fitting)
    if (std::find(out.evidence.begin(), out.evidence.end(), fact) == out.evidence.end())
      out.evidence.push_back(fact);
  add_confusions(one, all, least, out);
  out.next.emplace_back(one.signature->next);
  if (one.unlike)
    out.doubt = fmt::format(
        "known reports of it read otherwise: it is not among the {} causes whose reports are most alike",
        alike_considered);
  return out;
}

std::string sentence_of(const Diagnosis& diagnosis, const Seen& seen) {
  switch (diagnosis.state) {
    case State::healthy:
      return "Nothing is slower and nothing fails: no cause to name.";
    case State::nothing_compared:
      return "Nothing was compared and nothing fails: whether something is wrong cannot be said.";
    case State::found: {
      const Finding& best = diagnosis.findings.front();
      const Signature* signature = find_signature(best.cause);
      return fmt::format("{}: {} ({:.2f}, {}).", best.cause, signature->title, best.score,
                         best.score >= confident ? "confident" : "likely, not proven");
    }
    case State::unknown:
      break;
  }
  std::string out = seen.harm_beside_lines() ? "Something is wrong, and what was seen names no cause"
                                             : "Lines may tell of a fault, and what was seen names no cause";
  const auto add = [&](const std::vector<Excluded>& causes, std::string_view first, std::string_view next) {
    for (std::size_t i = 0; i < std::min<std::size_t>(causes.size(), 3); ++i)
      out += fmt::format("{}{} ({})", i == 0 ? first : next, causes[i].cause, causes[i].why);
  };
  add(diagnosis.excluded, "; it is not ", ", not ");
  add(diagnosis.unproven, "; not proven: ", ", ");
  return out + ".";
}

/// True when something pointed to the cause, but its score is too low to name it.
bool is_passed_over(const Scored& one, double least) {
  const bool pointed = !one.argument.evidence().empty() || one.match > 0;
  return pointed && one.score < least;
}

/// True when it is not named because a fact speaks against it.
bool is_spoken_against(const Scored& one, double least) {
  if (!is_passed_over(one, least) || !why_unproven(one, least).empty()) return false;
  return !one.argument.why_not().empty() || !one.argument.why_unproven(least).empty();
}

/// True when it is not named because its proof was not seen.
bool is_left_unproven(const Scored& one, double least) {
  return is_passed_over(one, least) && !why_unproven(one, least).empty();
}

/// True when one of our probes can test for the cause.
bool has_probe(std::string_view cause) {
  const auto& probes = probe_table();
  return std::any_of(probes.begin(), probes.end(), [&](const ProbeEntry& probe) {
    return std::find(probe.separates.begin(), probe.separates.end(), cause) != probe.separates.end();
  });
}

/// The causes that are still possible, best first. Among equal scores, causes whose pattern matches more of
/// what was seen come first, then those that a probe can test. Excluded causes are left out.
std::vector<const Scored*> worth_asking(const std::vector<Scored>& scored, const Seen& seen, double least,
                                        const std::set<std::string_view>& excluded) {
  struct Asked {
    const Scored* cause;
    double share;
    bool probe;
  };
  std::vector<Asked> asked;
  for (const Scored& one : scored)
    if (one.score >= pointed_to && !is_spoken_against(one, least) && !excluded.contains(one.signature->name))
      asked.push_back(
          {&one, share_seen(parse_moves(one.signature->moves), seen), has_probe(one.signature->name)});
  std::stable_sort(asked.begin(), asked.end(), [](const Asked& a, const Asked& b) {
    return std::tuple(a.cause->score, a.share, a.probe) > std::tuple(b.cause->score, b.share, b.probe);
  });
  std::vector<const Scored*> out;
  out.reserve(asked.size());
  for (const Asked& one : asked) out.push_back(one.cause);
  return out;
}

/// The causes that the diagnosis reports as excluded, for a finding or in general.
std::set<std::string_view> said_excluded(const Diagnosis& diagnosis) {
  std::set<std::string_view> out;
  for (const Finding& finding : diagnosis.findings)
    for (const Excluded& one : finding.excluded) out.insert(find_signature(one.cause)->name);
  for (const Excluded& one : diagnosis.excluded) out.insert(find_signature(one.cause)->name);
  return out;
}

/// The questions of the leading causes about each other.
std::vector<Question> questions_between(const std::vector<Scored>& scored,
                                        const std::set<std::string_view>& excluded) {
  constexpr std::size_t most = 3;
  std::vector<const Scored*> open;
  for (const Scored& one : scored)
    if (one.score >= pointed_to && !one.argument.evidence().empty() &&
        !excluded.contains(one.signature->name))
      open.push_back(&one);
  if (open.empty() || (open.front()->score >= confident &&
                       (open.size() == 1 || open.front()->score - open[1]->score >= clear_lead)))
    return {};
  std::vector<Question> out;
  for (const Scored* one : open)
    for (const Confusion& confusion : one->signature->confused_with) {
      const bool other_open = std::any_of(open.begin(), open.end(), [&](const Scored* other) {
        return other->signature->name == confusion.with;
      });
      const bool said = std::any_of(out.begin(), out.end(), [&](const Question& question) {
        return question.cause == confusion.with && question.other == one->signature->name;
      });
      if (other_open && !said && out.size() < most)
        out.push_back({std::string(one->signature->name), std::string(confusion.with),
                       std::string(confusion.question)});
    }
  return out;
}

Diagnosis diagnosis_of(const std::vector<Scored>& scored, const Seen& seen, const Weights& weights) {
  const bool harm = seen.harm();
  const double least = harm ? weights.named : weights.named_without_harm;
  Diagnosis out;
  for (const Scored& one : scored)
    if (out.findings.size() < findings_most && is_named(one, least))
      out.findings.push_back(finding_of(one, scored, least));
  out.state = !out.findings.empty() ? State::found
              : harm                ? State::unknown
              : seen.compared()     ? State::healthy
                                    : State::nothing_compared;
  if (harm) {
    for (const Scored& one : scored) {
      if (is_spoken_against(one, least) && out.excluded.size() < excluded_most)
        out.excluded.push_back({std::string(one.signature->name), why_not(one)});
      if (is_left_unproven(one, least) && out.unproven.size() < excluded_most)
        out.unproven.push_back({std::string(one.signature->name), why_unproven(one, least)});
    }
  }
  const std::set<std::string_view> excluded = said_excluded(out);
  if (out.state == State::unknown || (out.state == State::found && out.findings.front().score < confident)) {
    constexpr std::size_t most = 3;
    for (const Scored* one : worth_asking(scored, seen, least, excluded))
      if (out.needed.size() < most)
        out.needed.push_back(
            {std::string(one->signature->name),
             fmt::format("{} (it would show: {})", one->signature->next, one->signature->confirms)});
  }
  if (out.state == State::unknown && out.needed.empty() && seen.slower({"application", "framework_op"}))
    out.needed.push_back(
        {"app_kernel_regression",
         "gpugauge check --observation FILE (it would show: which classes of the machine are slower, or "
         "that none is)"});
  if (harm) out.questions = questions_between(scored, excluded);
  out.sentence = sentence_of(out, seen);
  return out;
}

}  // namespace

std::vector<Scored> score_all(const Observation& observation, const Weights& weights) {
  const Seen seen(observation);
  const bool healthy = seen.healthy();
  std::vector<Scored> out;
  out.reserve(catalogue().size());
  for (const Signature& signature : catalogue()) {
    Scored one = score(signature, seen, weights);
    if (healthy && !signature.latent) {
      one.argument.rules_out("everything that was compared is unchanged");
      one.score = one.from_evidence = 0;
    }
    out.push_back(std::move(one));
  }
  prefer_mechanisms(out);
  std::stable_sort(out.begin(), out.end(), by_score);
  return out;
}

bool is_of_a_command(const Observation& observation) {
  return observation.about.source.starts_with("gpugauge ");
}

Diagnosis diagnose(const Observation& observation, const Weights& weights) {
  return diagnosis_of(score_all(observation, weights), Seen(observation), weights);
}

Diagnosis diagnose(const Observation& observation, const ReportIndex& known, const Weights& weights) {
  std::vector<Alike> alike = known.rank(lines_that_matter(observation), alike_most);
  std::vector<Scored> scored = score_all(observation, weights);
  if (!is_whole_log(observation)) doubt_unlike(scored, alike, known);
  Diagnosis out = diagnosis_of(scored, Seen(observation), weights);
  const bool open =
      out.state == State::unknown || (out.state == State::found && out.findings.front().score < confident);
  if (!open) return out;
  for (Alike& one : alike)
    if (one.likeness >= alike_least && out.alike.size() < alike_most) out.alike.push_back(std::move(one));
  return out;
}

}  // namespace gpugauge::diagnose
