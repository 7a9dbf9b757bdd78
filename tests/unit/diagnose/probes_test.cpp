// The table of probes, which of them is worth its time, and what a repetition says.
#include "diagnose/probes.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "diagnose/vocabulary.hpp"
#include "result/vocabulary.hpp"
#include "unit/diagnose/find_probe.hpp"

namespace gpugauge::diagnose {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Metric slow(std::string_view metric_class, double factor) {
  Metric out;
  out.metric_class = metric_class;
  out.factor = factor;
  return out;
}

Observation observation_of(const char* text) {
  return parse_observation(text, "test");
}

std::vector<Costed> all_of_them(const Observation& observation, bool gpu) {
  std::vector<Costed> out;
  for (const ProbeEntry& probe : probe_table())
    if (applies(probe, observation, gpu)) out.push_back({&probe, probe.seconds});
  return out;
}

std::vector<std::string> ids(const std::vector<WorthAsking>& asked) {
  std::vector<std::string> out;
  out.reserve(asked.size());
  for (const WorthAsking& one : asked) out.emplace_back(one.probe->id);
  return out;
}

TEST(ProbeTable, UsesOnlyWordsThatThereAre) {
  std::set<std::string_view> seen;
  for (const ProbeEntry& probe : probe_table()) {
    EXPECT_TRUE(seen.insert(probe.id).second) << probe.id << " twice";
    EXPECT_TRUE(probe.question.ends_with('?')) << probe.id;
    EXPECT_GE(probe.separates.size(), 2U) << probe.id;
    for (const std::string_view cause : probe.separates)
      EXPECT_NE(find_signature(cause), nullptr) << probe.id << ": there is no cause " << cause;
    if (!probe.fact.empty()) {
      EXPECT_THAT(probe_names, Contains(probe.fact)) << probe.id;
    }
    EXPECT_GE(probe.answers.size(), 2U) << probe.id << ": a question with one answer is none";
    for (const Answer& answer : probe.answers) {
      EXPECT_THAT(probe_outcomes, Contains(answer.outcome)) << probe.id;
      for (const auto& told : answer.telemetry) {
        const auto is_it = [&](const Key& known) { return known.name == told.first; };
        EXPECT_TRUE(std::any_of(telemetry_keys.begin(), telemetry_keys.end(), is_it))
            << probe.id << ": " << told.first;
      }
    }
    for (const std::string_view metric_class : probe.classes)
      EXPECT_TRUE(result::is_class(metric_class)) << probe.id << ": " << metric_class;
    EXPECT_GT(probe.seconds, probe.pause_seconds) << probe.id;
  }
}

/// Each entry must be able to turn some diagnosis, or nobody will ever ask it.
TEST(ProbeTable, HasNoAnswerThatADiagnosisWouldIgnore) {
  for (const ProbeEntry& probe : probe_table()) {
    std::set<std::string_view> turned;
    for (const std::string_view cause : probe.separates)
      for (const char* metric_class :
           {"launch", "h2d", "host_cpu", "gemm16", "gemm32", "hbm", "coll_large", "first_launch", "init"}) {
        Observation it;
        it.metrics.push_back(slow(metric_class, 2.5));
        it.inventory = {{"gpu.persistence", false}, {"topology.path", "nvlink"}};
        it.environment = {{"KMP_AFFINITY", "compact"}};
        for (const std::string_view name : probe.without) {
          const bool open_end = name.ends_with('*');
          it.environment[std::string(name.substr(0, name.size() - (open_end ? 1 : 0))) +
                         (open_end ? "X" : "")] = "1";
        }
        std::vector<double> scores;
        for (const Answer& answer : probe.answers) {
          Observation supposed = it;
          add_answer(probe, answer.outcome, std::string(probe.detail), supposed);
          for (const std::string& variable : variables_without(probe, it))
            if (!supposed.probes.empty()) supposed.probes.back().detail += ", " + variable + "=unset";
          for (const auto& [key, value] : answer.telemetry) supposed.telemetry[std::string(key)] = value;
          for (const Scored& one : score_all(supposed))
            if (one.signature->name == cause) scores.push_back(one.score);
        }
        if (*std::max_element(scores.begin(), scores.end()) > *std::min_element(scores.begin(), scores.end()))
          turned.insert(cause);
      }
    EXPECT_FALSE(turned.empty()) << probe.id << ": no answer of it moves any of its causes";
  }
}

constexpr const char* slow_copies = R"({"about": {"compared_with": "earlier"},
  "metrics": [{"class": "h2d", "factor": 2.9}, {"class": "d2h", "factor": 2.8}, {"class": "hbm", "factor": 1.0}]})";

TEST(WorthAsking, SlowCopiesAskForTheLinkAndTheNode) {
  const Observation it = observation_of(slow_copies);
  const auto asked = worth_asking(it, all_of_them(it, true));
  EXPECT_THAT(ids(asked), Contains("link_under_load"));
  EXPECT_THAT(ids(asked), Contains("pinned_to_gpu_node"));
  for (const WorthAsking& one : asked) {
    EXPECT_GT(one.separation, 0) << one.probe->id;
    EXPECT_THAT(one.between, testing::Not(IsEmpty())) << one.probe->id;
  }
  for (std::size_t i = 1; i < asked.size(); ++i)
    EXPECT_GE(asked[i - 1].separation / asked[i - 1].seconds, asked[i].separation / asked[i].seconds);
}

TEST(WorthAsking, CheaperProbesOfTheSameWorthComeFirst) {
  const Observation it = observation_of(slow_copies);
  const ProbeEntry* link = find_probe("link_under_load");
  const ProbeEntry* node = find_probe("pinned_to_gpu_node");
  ASSERT_NE(link, nullptr);
  ASSERT_NE(node, nullptr);
  const auto dear_link = worth_asking(it, {{link, 1000}, {node, 1}});
  ASSERT_EQ(dear_link.size(), 2U);
  EXPECT_EQ(dear_link.front().probe, node);
  const auto dear_node = worth_asking(it, {{link, 1}, {node, 1000}});
  EXPECT_EQ(dear_node.front().probe, link);
}

TEST(WorthAsking, NothingIsAskedWhereNothingIsWrongOrACauseIsClear) {
  const Observation healthy = observation_of(R"({"metrics": [{"class": "h2d", "factor": 1.0}]})");
  EXPECT_THAT(all_of_them(healthy, true), IsEmpty());
  Observation clear = observation_of(slow_copies);
  clear.telemetry["pcie_generation"] = 1.0;
  clear.telemetry["pcie_generation_max"] = 5.0;
  clear.telemetry["pcie_sampled"] = "load";
  ASSERT_EQ(diagnose(clear).findings.front().cause, "pcie_link_degraded");
  EXPECT_THAT(ids(worth_asking(clear, all_of_them(clear, true))), IsEmpty());
}

TEST(WorthAsking, TheHostIsNotAskedAboutGpus) {
  const Observation it = observation_of(R"({"metrics": [{"class": "host_cpu", "factor": 1.9}],
    "inventory": {"host.cpus": 8, "host.cpus_allowed": 2}})");
  for (const Costed& one : all_of_them(it, false)) EXPECT_NE(one.probe->measures, Measures::gpu);
  EXPECT_THAT(ids(worth_asking(it, all_of_them(it, false))), Contains("all_processors"));
}

TEST(WorthAsking, AVariableIsTakenAwayOnlyWhereItIsSet) {
  Observation it = observation_of(R"({"metrics": [{"class": "launch", "factor": 3.0}]})");
  const ProbeEntry* blocking = find_probe("without_launch_blocking");
  ASSERT_NE(blocking, nullptr);
  EXPECT_FALSE(applies(*blocking, it, true));
  it.environment["CUDA_LAUNCH_BLOCKING"] = "1";
  EXPECT_TRUE(applies(*blocking, it, true));
  EXPECT_THAT(variables_without(*blocking, it), testing::ElementsAre("CUDA_LAUNCH_BLOCKING"));
  add_answer(*blocking, "recovers", "CUDA_LAUNCH_BLOCKING=unset", it);
  EXPECT_FALSE(applies(*blocking, it, true)) << "asked twice";
}

TEST(WorthAsking, WhichDevicesAProgramIsShownIsNotTakenAway) {
  Observation it;
  it.metrics = {slow("launch", 2)};
  it.environment = {{"CUDA_VISIBLE_DEVICES", "0"},
                    {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                    {"NVIDIA_VISIBLE_DEVICES", "all"},
                    {"NVIDIA_DRIVER_CAPABILITIES", "all"}};
  const ProbeEntry& clean = *find_probe("clean_environment");
  EXPECT_FALSE(applies(clean, it, true)) << "nothing is left to take away";
  it.environment["CUDA_CACHE_DISABLE"] = "1";
  EXPECT_TRUE(applies(clean, it, true));
  EXPECT_THAT(variables_without(clean, it), testing::ElementsAre("CUDA_CACHE_DISABLE"));
}

TEST(Answers, TurnTheRanking) {
  Observation it = observation_of(slow_copies);
  const ProbeEntry* node = find_probe("pinned_to_gpu_node");
  Observation recovered = it;
  add_answer(*node, "recovers", "processors of node 1: 8-15", recovered);
  EXPECT_EQ(diagnose(recovered).findings.front().cause, "numa_misplacement");
  EXPECT_GE(diagnose(recovered).findings.front().score, confident);
  EXPECT_THAT(diagnose(recovered).findings.front().evidence,
              Contains(HasSubstr("measured by probe pinned_to_gpu_node")));
  Observation vain = it;
  add_answer(*node, "no_change", "processors of node 1: 8-15", vain);
  for (const Finding& finding : diagnose(vain).findings) EXPECT_NE(finding.cause, "numa_misplacement");
}

/// Every variable of the table that is taken away in vain ends the cause that stands for it.
TEST(Answers, AVariableTakenAwayInVainIsNotWhy) {
  struct Row {
    const char* probe;
    const char* variable;
    const char* value;
    const char* metric_class;
    const char* cause;
  };
  for (const Row& row :
       {Row{"without_launch_blocking", "CUDA_LAUNCH_BLOCKING", "1", "launch", "cuda_launch_blocking"},
        Row{"without_injection", "CUDA_INJECTION64_PATH", "/x.so", "launch", "profiler_attached"},
        Row{"without_tf32_override", "NVIDIA_TF32_OVERRIDE", "0", "gemmtf32", "tf32_env_override"},
        Row{"with_jit_cache", "CUDA_CACHE_DISABLE", "1", "first_launch", "jit_cache_disabled"},
        Row{"without_forced_jit", "CUDA_FORCE_PTX_JIT", "1", "first_launch", "ptx_jit_startup"},
        Row{"without_nccl_variables", "NCCL_P2P_DISABLE", "1", "coll_large", "nccl_env_leftover"}}) {
    Observation it;
    it.metrics.push_back(slow(row.metric_class, 2.5));
    it.environment[row.variable] = row.value;
    const ProbeEntry* probe = find_probe(row.probe);
    ASSERT_NE(probe, nullptr) << row.probe;
    ASSERT_TRUE(applies(*probe, it, true)) << row.probe;
    const auto score = [&](const char* outcome) {
      Observation answered = it;
      add_answer(*probe, outcome, std::string(row.variable) + "=unset", answered);
      for (const Scored& one : score_all(answered))
        if (one.signature->name == row.cause) return one.score;
      return -1.0;
    };
    EXPECT_GE(score("recovers"), confident) << row.cause;
    EXPECT_LE(score("no_change"), .45) << row.cause;
  }
}

TEST(Repetition, ReportsWhatItDecidedBy) {
  const Repeated repeated = outcome_of_repetition(4, {3, 4}, {1, 1.21});
  EXPECT_EQ(repeated.outcome, "recovers");
  EXPECT_NEAR(repeated.factor, 1.1, 1e-9);
  EXPECT_NEAR(repeated.factor_without, std::sqrt(12), 1e-9);
  const Repeated standing = outcome_of_standing(2, {1.6, 2.5});
  EXPECT_EQ(standing.outcome, "slow");
  EXPECT_NEAR(standing.factor, 2, 1e-9) << "an arithmetic mean would be 2.05";
  EXPECT_EQ(outcome_of_repetition(2, {2, 2}, {1.45, 1.45}).factor, 0) << "nothing was decided";
}

TEST(Repetition, SaysWhatIsClear) {
  EXPECT_EQ(outcome_of_repetition(2, {2, 2.1}, {1.0, 1.05}).outcome, "recovers");
  EXPECT_EQ(outcome_of_repetition(2, {2, 2.1}, {2.0, 2.05}).outcome, "no_change");
  EXPECT_EQ(outcome_of_repetition(2, {2, 2.1}, {4.5, 4.4}).outcome, "worse");
  EXPECT_EQ(outcome_of_repetition(2, {2, 2}, {.9, .9}).outcome, "recovers");
}

TEST(Repetition, SaysNothingWhereNothingIsClear) {
  const Repeated half = outcome_of_repetition(2, {2, 2}, {1.45, 1.45});
  EXPECT_EQ(half.outcome, "");
  EXPECT_THAT(half.why_not, HasSubstr("half way"));
  const Repeated passed = outcome_of_repetition(2, {1.01, 1.02}, {1.0, 1.0});
  EXPECT_EQ(passed.outcome, "");
  EXPECT_TRUE(passed.passed);
  const Repeated noisy = outcome_of_repetition(2, {1.3, 2.7}, {1.0, 1.0});
  EXPECT_EQ(noisy.outcome, "");
  EXPECT_THAT(noisy.why_not, HasSubstr("differ among themselves"));
  EXPECT_EQ(outcome_of_repetition(1.04, {1.04, 1.04}, {1.0, 1.0}).outcome, "");
}

TEST(Repetition, LaterIsNormalSlowOrNeither) {
  EXPECT_EQ(outcome_of_standing(2, {1.0, 1.1}).outcome, "normal");
  EXPECT_EQ(outcome_of_standing(2, {.8}).outcome, "normal");
  EXPECT_EQ(outcome_of_standing(2, {2.2, 1.9}).outcome, "slow");
  EXPECT_EQ(outcome_of_standing(2, {1.4, 1.45}).outcome, "");
}

TEST(Questions, StandBetweenCausesThatAreBothPossible) {
  const Diagnosis open = diagnose(observation_of(R"({"metrics": [{"class": "h2d", "factor": 2.9}],
    "inventory": {"host.numa_local": false, "host.memlock_kib": 64}})"));
  ASSERT_FALSE(open.questions.empty());
  for (const Question& one : open.questions) {
    EXPECT_NE(find_signature(one.cause), nullptr);
    EXPECT_NE(find_signature(one.other), nullptr);
    EXPECT_TRUE(one.question.ends_with('?')) << one.question;
  }
  const Diagnosis healthy = diagnose(observation_of(R"({"metrics": [{"class": "h2d", "factor": 1.0}]})"));
  EXPECT_THAT(healthy.questions, IsEmpty());
}

// What somebody else switched and what a probe switched prove the same.
TEST(Probes, AVariableThatAProbeTookAwayCountsAsOneThatSomebodyTookAway) {
  const auto score = [](const std::string& by) {
    Observation it = parse_observation(R"({"about": {"compared_with": "earlier", "changed_is_all": true},
      "changed": {}, "environment": {"CUDA_LAUNCH_BLOCKING": "1"},
      "metrics": [{"class": "launch", "factor": 5}],
      "probes": [{"name": "unset_environment", "outcome": "recovers", "detail": "CUDA_LAUNCH_BLOCKING=unset"}]})",
                                       "test");
    it.probes[0].by = by;
    const std::vector<Finding> findings = diagnose(it).findings;
    return findings.empty() || findings[0].cause != "cuda_launch_blocking" ? 0 : findings[0].score;
  };
  EXPECT_GE(score(""), confident);
  EXPECT_EQ(score("launch_blocking"), score(""));
}

}  // namespace
}  // namespace gpugauge::diagnose
