// Judges each newcomer against the fleet's nodes of its kind.
#include "judge/admit.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/fields.hpp"
#include "judge/admit_drift.hpp"
#include "judge/admit_kinds.hpp"
#include "judge/peer_faults.hpp"
#include "judge/peer_kinds.hpp"
#include "judge/reasons.hpp"
#include "judge/statistics.hpp"
#include "result/counted.hpp"
#include "result/device_kind.hpp"
#include "result/facts.hpp"

namespace gpugauge::judge {
namespace {

/// "1 metric was", "3 metrics were".
std::string metrics_were(std::size_t number) {
  return result::counted(number, "metric was", "metrics were");
}

const char* them(std::size_t number) {
  return number == 1 ? "it" : "them";
}

class Admitting {
 public:
  Admitting(const AdmissionInput& input, const UsualFacts& usual, const Policy& policy,
            const PeerRules& rules)
      : input_(input), usual_(usual), policy_(policy), rules_(rules) {}

  Admissions made() && {
    const std::vector<PeerRound> others = others_in_fleet();
    if (const std::size_t own = input_.fleet.rounds.size() - others.size(); own > 0)
      out_.remarks.push_back(
          fmt::format("{} of the fleet's runs {} the newcomer's own and {} left out: nobody judges itself.",
                      own, own == 1 ? "is" : "are", own == 1 ? "was" : "were"));
    kinds_ = kinds_of(nodes_of(others, out_.remarks));
    for (const PeerRounds& newcomer : nodes_of(input_.newcomers, out_.remarks))
      out_.nodes.push_back(gravest(newcomer));
    if (std::string silent = health_not_told(input_.newcomers); !silent.empty())
      out_.remarks.push_back(std::move(silent));
    for (const UnreadFile& file : input_.unread) {
      Admission made;
      made.node = made.label = file.label;
      made.files = {file.file};
      made.reason = "its run could not be read: " + file.reason;
      out_.nodes.push_back(std::move(made));
    }
    for (const UnreadFile& file : input_.fleet.unread)
      out_.remarks.push_back(fmt::format("Of the fleet, {} could not be read: {}", file.file, file.reason));
    std::stable_sort(out_.nodes.begin(), out_.nodes.end(), [](const Admission& a, const Admission& b) {
      return std::tie(a.state, a.label, a.node) < std::tie(b.state, b.label, b.node);
    });
    decide();
    return std::move(out_);
  }

 private:
  /// The fleet's runs without the newcomers' devices. A host is also recognised by a run that both sides
  /// hold, or by its boot if the newcomer has no name: a history and a file may name it differently.
  std::vector<PeerRound> others_in_fleet() {
    std::set<std::string> own;
    std::set<std::string> runs;
    std::set<std::string> boots;
    for (const PeerRound& round : input_.newcomers) {
      own.insert(round.node);
      runs.insert(round.id);
      if (result::is_host(round.device) && round.host.empty() && !round.boot.empty())
        boots.insert(round.boot);
    }
    for (const PeerRound& round : input_.fleet.rounds)
      if (runs.contains(round.id) || (result::is_host(round.device) && boots.contains(round.boot)))
        own.insert(round.node);
    std::vector<PeerRound> out;
    for (const PeerRound& round : input_.fleet.rounds)
      if (own.contains(round.node))
        own_.insert(round.id);
      else
        out.push_back(round);
    return out;
  }

  /// Judges each kind of the newcomer's runs; the gravest answer counts, and the others are mentioned.
  Admission gravest(const PeerRounds& newcomer) const {
    std::vector<Admission> made;
    const std::vector<Verdict> health = health_of(newcomer);
    for (const PeerKind& kind : kinds_of({newcomer})) made.push_back(admit(kind.front(), health));
    std::stable_sort(made.begin(), made.end(),
                     [](const Admission& a, const Admission& b) { return a.state < b.state; });
    Admission out = std::move(made.front());
    for (std::size_t i = 1; i < made.size(); ++i)
      out.remarks.push_back(fmt::format(
          "Its runs did different work: this is said of {}; by {} it is {}: {}.", fmt::join(out.files, ", "),
          fmt::join(made[i].files, ", "), said_of(made[i].state), made[i].reason));
    out.label = newcomer.front()->label;
    out.files.clear();
    for (const PeerRound* round : newcomer) out.files.push_back(round->file);
    return out;
  }

  static std::string_view said_of(AdmissionState state) {
    if (state == AdmissionState::cannot_judge) return "not judged";
    return state == AdmissionState::measure_again ? "to be measured again" : to_string(state);
  }

  /// `health`: of all the newcomer's runs.
  Admission admit(const PeerRounds& newcomer, const std::vector<Verdict>& health) const {
    const PeerRound& first = *newcomer.front();
    const result::Fingerprint& here = input_.fingerprints.at(first.id);
    Admission made;
    made.node = first.node;
    made.label = first.label;
    made.device = first.device;
    made.verdicts = health;
    for (const PeerRound* round : newcomer) made.files.push_back(round->file);
    NearestKind nearest = nearest_kind(kinds_, first, here, policy_, rules_);
    made.drift = std::move(nearest.drift);
    made.reason = std::move(nearest.reason);
    const PeerKind* kind = nearest.kind;
    if (kind == nullptr) {
      add_own_failures(newcomer, made);
      return made;
    }
    made.reference = describe(*kind->front().front());
    made.peers = count_of(*kind);
    for (const std::string& word : policy_.treatment) {
      const bool differs = std::any_of(made.drift.begin(), made.drift.end(),
                                       [&](const Drift& one) { return baseline::covers(word, one.field); });
      if (!differs)
        made.remarks.push_back(fmt::format(
            "Treatment {}: declared, but nothing of that name differs between it and the fleet.", word));
    }
    add_noted(here, kind->front().front()->kind, usual_, own_, made.drift);
    if (!comparable_of(made.drift)) {
      const std::vector<Drift> drift = must_match(made.drift);
      const bool declarable = std::all_of(drift.begin(), drift.end(), [](const Drift& one) {
        return one.declared || baseline::can_be_treatment(one.field);
      });
      made.reason = declarable ? fmt::format(
                                     "its stack is not the fleet's: {}; bring it to the fleet's, or declare "
                                     "with --treatment what is meant to differ",
                                     some_drift(drift))
                               : fmt::format(
                                     "it was not measured as the fleet was, or is another machine: {}; "
                                     "measure it with the fleet's profile and version of gpugauge",
                                     some_drift(drift));
    } else if (static_cast<int>(made.peers.devices) < rules_.minimum_nodes) {
      made.reason = fmt::format(
          "the fleet has {} of its kind ({}), and {} are needed to know how far healthy ones lie apart",
          in_words(made.peers), made.reference, rules_.minimum_nodes);
    } else {
      compare(*kind, newcomer, made);
      return made;
    }
    add_own_failures(newcomer, made);
    return made;
  }

  static std::vector<Drift> must_match(const std::vector<Drift>& drift) {
    std::vector<Drift> out;
    std::copy_if(drift.begin(), drift.end(), std::back_inserter(out),
                 [](const Drift& one) { return one.must_match; });
    return out;
  }
  static bool comparable_of(const std::vector<Drift>& drift) { return comparable(must_match(drift)); }

  /// Adds the newcomer's own failures, which need no peers.
  static void add_own_failures(const PeerRounds& newcomer, Admission& made) {
    add_failures(newcomer, made.verdicts);
    std::stable_partition(made.verdicts.begin(), made.verdicts.end(),
                          [](const Verdict& one) { return grave(one); });
    if (made.verdicts.empty() || !grave(made.verdicts.front())) return;
    made.state = AdmissionState::refused;
    made.reason = fmt::format("{} failed: {}; and {}", made.verdicts.front().metric,
                              made.verdicts.front().reason, made.reason);
  }

  void compare(const PeerKind& kind, const PeerRounds& newcomer, Admission& made) const {
    PeerGroupResult result =
        judge_newcomer(kind, newcomer, input_.fleet.metrics, policy_, rules_, scales_[&kind]);
    made.metrics = result.judged;
    made.verdicts.insert(made.verdicts.end(), result.verdicts.front().begin(), result.verdicts.front().end());
    const bool again = compare_checksums_of(newcomer, made) || result.again.front();
    std::stable_sort(made.verdicts.begin(), made.verdicts.end(), [](const Verdict& a, const Verdict& b) {
      if (a.advisory != b.advisory) return b.advisory;
      if (grave(a) != grave(b)) return grave(a);
      return a.change.value_or(1) > b.change.value_or(1);
    });
    std::vector<double> detects;
    for (const PeerSensitivity& one : result.sensitivity) {
      detects.push_back(one.detects);
      if (one.detects > made.detects_worst) {
        made.detects_worst = one.detects;
        made.worst_metric = one.metric;
      }
      made.blunt += one.detects > 2 * one.tolerance ? 1 : 0;
    }
    if (!detects.empty()) made.detects_median = median(detects);
    if (!result.not_judged.empty())
      made.remarks.push_back(
          fmt::format("{} not compared: fewer than {} of the fleet's {} of its kind, or no more than half "
                      "of them, measure {}.",
                      metrics_were(result.not_judged.size()), rules_.fewest_values, made.peers.many,
                      them(result.not_judged.size())));
    made.remarks.insert(made.remarks.end(), result.unmeasured.begin(), result.unmeasured.end());
    if (const std::size_t alone = unknown_to(kind, newcomer); alone > 0)
      made.remarks.push_back(
          fmt::format("{} not compared: no other {} of its kind has a value of {} that counts.",
                      metrics_were(alone), made.peers.one, them(alone)));
    decide(again, result.compared(), made);
    const std::set<std::uint32_t> own = metrics_of({newcomer}, true);
    const auto open = static_cast<std::size_t>(
        std::count_if(result.not_judged.begin(), result.not_judged.end(), [&](const NotCompared& one) {
          return one.counts && own.contains(static_cast<std::uint32_t>(one.metric));
        }));
    if (made.state == AdmissionState::admitted && open > 0) {
      made.state = AdmissionState::cannot_judge;
      made.reason = fmt::format(
          "{} that it and half of the fleet's {} of its kind or more measure could not be compared: too few "
          "of these measure {}",
          result::counted(open, "metric"), made.peers.many, them(open));
    }
    // Metrics that it lacks were not compared: a device in doubt is not admitted.
    const bool whole =
        std::any_of(newcomer.begin(), newcomer.end(), [](const PeerRound* round) { return round->complete; });
    if (made.state != AdmissionState::admitted || whole) return;
    made.state = AdmissionState::measure_again;
    made.reason =
        fmt::format("its run ended early: {}; measure it again to the end", newcomer.front()->partial_reason);
  }

  /// Returns true if a further run of the newcomer would decide something. `gpugauge fleet` reports
  /// differences among the others. Declared differences may round differently, so the newcomer is compared
  /// with its exact kind of any size, else only with itself.
  bool compare_checksums_of(const PeerRounds& newcomer, Admission& made) const {
    const PeerKind* alike = kind_of_checksums(kinds_, newcomer);
    PeerKind nodes = alike != nullptr ? *alike : PeerKind{};
    nodes.push_back(newcomer);
    const ChecksumComparison compared = compare_node_checksums(nodes);
    made.verdicts.insert(made.verdicts.end(), compared.verdicts.back().begin(),
                         compared.verdicts.back().end());
    if (alike == nullptr && compared.gpus > 0)
      made.remarks.emplace_back(
          "Its checksums were not compared with the fleet's: what differs by declaration may round "
          "differently.");
    return compared.again.back();
  }

  void decide(bool again, bool compared, Admission& made) const {
    const auto count = [&](bool graver) {
      return std::count_if(made.verdicts.begin(), made.verdicts.end(),
                           [&](const Verdict& one) { return !one.advisory && grave(one) == graver; });
    };
    if (count(true) > 0) {
      made.state = AdmissionState::refused;
      // All are listed below, so the counts must match the list.
      const auto advisory = static_cast<std::size_t>(std::count_if(
          made.verdicts.begin(), made.verdicts.end(), [](const Verdict& one) { return one.advisory; }));
      made.reason = fmt::format(
          "{}{}{} with {} compared: {}: {}: {}", result::counted(count(true), "finding"),
          count(false) > 0 ? fmt::format(", {} in doubt", count(false)) : "",
          advisory > 0 ? fmt::format(", {} advisory", advisory) : "", result::counted(made.metrics, "metric"),
          made.verdicts.front().metric, to_string(made.verdicts.front().kind), made.verdicts.front().reason);
    } else if (count(false) > 0) {
      made.state = AdmissionState::measure_again;
      const Verdict& first = made.verdicts.front();
      std::string what = "measure it again and give both runs; one run condemns nobody";
      if (first.judge == Judge::physical)
        what = first.reason;  // says what to do first
      else if (!again)
        what = fmt::format("{}; a further run can clear it, and only more {} of its kind condemn it",
                           first.reason, made.peers.many);
      made.reason =
          fmt::format("{} in doubt with {} compared, {} first: {}", result::counted(count(false), "finding"),
                      result::counted(made.metrics, "metric"), first.metric, what);
    } else if (!compared) {
      made.reason = "no metric was measured both here and by the fleet";
    } else {
      made.state = AdmissionState::admitted;
      made.reason =
          made.verdicts.empty()
              ? fmt::format("none of {} metrics stands out from {}", made.metrics, in_words(made.peers))
              : fmt::format("of {} metrics {} from {}, which the policy says and does not count",
                            made.metrics,
                            made.verdicts.size() == 1 ? std::string("one stands out")
                                                      : fmt::format("{} stand out", made.verdicts.size()),
                            in_words(made.peers));
    }
  }

  /// `recorded`: include metrics without any value that counts.
  static std::set<std::uint32_t> metrics_of(const PeerKind& nodes, bool recorded) {
    std::set<std::uint32_t> out;
    for (const PeerRounds& node : nodes)
      for (const PeerRound* round : node)
        for (std::size_t v = 0; v < round->values.size() - (recorded ? 0 : round->recorded_values); ++v)
          out.insert(round->values[v].metric);
    return out;
  }

  static std::size_t unknown_to(const PeerKind& kind, const PeerRounds& newcomer) {
    const std::set<std::uint32_t> known = metrics_of(kind, false);
    const std::set<std::uint32_t> own = metrics_of({newcomer}, false);
    return static_cast<std::size_t>(
        std::count_if(own.begin(), own.end(), [&](std::uint32_t metric) { return !known.contains(metric); }));
  }

  void decide() {
    const auto named = [&](AdmissionState state) {
      std::vector<std::string> labels;
      for (const Admission& one : out_.nodes)
        if (one.state == state) labels.push_back(one.label);
      return labels;
    };
    const auto refused = named(AdmissionState::refused);
    const auto unknown = named(AdmissionState::cannot_judge);
    const auto again = named(AdmissionState::measure_again);
    const auto in = named(AdmissionState::admitted);
    const auto sentence = [&](const std::vector<std::string>& labels, const char* what) {
      return labels.empty() ? std::string()
                            : fmt::format("; {} {} ({})", labels.size(), what, fmt::join(labels, ", "));
    };
    std::string tail = sentence(refused, "refused") + sentence(again, "to be measured again") +
                       sentence(unknown, "not judged") + sentence(in, "admitted");
    if (!tail.empty()) tail = tail.substr(2);
    if (!refused.empty())
      out_.outcome = {ExitCode::regressed, "regressed: " + tail, true, VerdictKind::regressed};
    else if (out_.nodes.empty())
      out_.outcome = {ExitCode::cannot_judge, "cannot judge: no run of a newcomer was found"};
    else if (!again.empty() || !unknown.empty())
      out_.outcome = {ExitCode::cannot_judge, "cannot judge: " + tail};
    else
      out_.outcome = {ExitCode::pass, "admit: " + tail};
  }

  const AdmissionInput& input_;
  const UsualFacts& usual_;
  const Policy& policy_;
  const PeerRules& rules_;
  std::set<std::string> own_;  ///< ids of the fleet's runs on newcomers' devices
  std::vector<PeerKind> kinds_;
  mutable std::map<const PeerKind*, std::vector<PeerScale>> scales_;  ///< scales of the kinds compared with
  Admissions out_;
};

}  // namespace

Admissions judge_admission(const AdmissionInput& input, const UsualFacts& usual, const Policy& policy,
                           const PeerRules& rules) {
  return Admitting(input, usual, policy, rules).made();
}

std::string_view to_string(AdmissionState state) {
  switch (state) {
    case AdmissionState::refused:
      return "refused";
    case AdmissionState::cannot_judge:
      return "cannot judge";
    case AdmissionState::measure_again:
      return "measure again";
    case AdmissionState::admitted:
      break;
  }
  return "admitted";
}

}  // namespace gpugauge::judge
