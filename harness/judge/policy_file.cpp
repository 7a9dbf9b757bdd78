// Parses the policy file and judges what it expects of a node.
#include "judge/policy_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "judge/physical_verdict.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/object_reader.hpp"
#include "result/pattern.hpp"

namespace gpugauge::judge {
namespace {

constexpr int most_gpus = 1024;
constexpr int most_ports = 1024;
constexpr double most_gigabits = 1e5;
/// Smaller error levels need quantiles that no distribution of a few rounds has; no clock resolves smaller
/// tolerances.
constexpr double least_level = 1e-6;

/// Returns `value` if strictly between two bounds; else refuses it.
double between(const result::Place& place, double value, double low, double high) {
  if (!(value > low && value < high))
    place.refuse(fmt::format("is {}; it must be above {} and below {}", value, low, high));
  return value;
}

MetricRule metric_rule(const nlohmann::json& value, const result::Place& place) {
  result::ObjectReader reader(value, place);
  MetricRule rule;
  rule.pattern = reader.text("metric");
  if (const auto given = reader.optional_number("tolerance"))
    rule.tolerance = between(place.key("tolerance"), *given, least_level, 1);
  rule.advisory = reader.optional_boolean("advisory");
  rule.why = reader.optional_text("why");
  reader.done();
  if (rule.pattern.empty()) place.key("metric").refuse("is empty; give a metric's name or a pattern");
  if (!rule.tolerance && !rule.advisory)
    place.refuse("says nothing about its metric; give tolerance or advisory");
  return rule;
}

/// Class names and their tolerances.
std::map<std::string, double> tolerances(result::ObjectReader& reader) {
  std::map<std::string, double> out;
  if (reader.optional("tolerance") == nullptr) return out;
  const result::Place place = reader.place().key("tolerance");
  for (const auto& [name, value] : reader.number_map("tolerance")) {
    if (!result::is_class(name))
      place.refuse(
          fmt::format("{} is no class of metrics; docs/benchmarks.md lists them", result::quoted(name)));
    out[name] = between(place.key(name), value, least_level, 1);
  }
  return out;
}

void expectations(const nlohmann::json& value, const result::Place& place, Policy& policy) {
  result::ObjectReader reader(value, place);
  policy.expected_gpus = reader.optional_integer("gpus");
  if (policy.expected_gpus && (*policy.expected_gpus < 0 || *policy.expected_gpus > most_gpus))
    place.key("gpus").refuse(fmt::format("must be 0 to {}", most_gpus));
  if (reader.optional("models") != nullptr) policy.expected_models = reader.texts("models");
  policy.expected_rdma_ports = reader.optional_integer("rdma_ports");
  if (policy.expected_rdma_ports &&
      (*policy.expected_rdma_ports < 0 || *policy.expected_rdma_ports > most_ports))
    place.key("rdma_ports").refuse(fmt::format("must be 0 to {}", most_ports));
  if (const auto given = reader.optional_number("rdma_gbps")) {
    policy.expected_rdma_gigabits = between(place.key("rdma_gbps"), *given, 1, most_gigabits);
    if (!policy.expected_rdma_ports)
      place.key("rdma_gbps").refuse("says how fast ports must be and not how many; give rdma_ports, too");
  }
  reader.done();
}

Verdict expectation(const char* metric, bool held, std::string reason) {
  Verdict verdict = physical_verdict(metric, held ? VerdictKind::ok : VerdictKind::failed, std::move(reason));
  verdict.metric_class = "integrity";
  verdict.unit = "1";
  return verdict;
}

Verdict expectation_of_ports(const Policy& policy, const std::vector<double>& gigabits) {
  const double least = policy.expected_rdma_gigabits;
  const auto fit =
      std::count_if(gigabits.begin(), gigabits.end(), [&](double rate) { return rate >= least; });
  const std::string rate = least > 0 ? fmt::format(" of {:g} Gb/s or more", least) : "";
  const auto untold =
      std::count_if(gigabits.begin(), gigabits.end(), [&](double one) { return one == 0 && one < least; });
  const auto slower = static_cast<std::ptrdiff_t>(gigabits.size()) - fit - untold;
  std::string others;
  if (slower > 0) others += fmt::format(", and {} slower", slower);
  if (untold > 0) others += fmt::format(", and {} whose rate is not told", untold);
  return expectation("node:rdma_ports", fit >= *policy.expected_rdma_ports,
                     fmt::format("the policy expects {}{}; {} such {} active{}",
                                 result::counted(*policy.expected_rdma_ports, "RDMA port"), rate, fit,
                                 fit == 1 ? "is" : "are", others));
}

}  // namespace

Policy parse_policy(const std::string& text, const std::string& origin) {
  const nlohmann::json value = result::parse_json(text, origin);
  result::ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, policy_schema);
  Policy policy;
  const result::Place& place = reader.place();
  for (const auto& [key, one] : value.items()) policy.given.push_back(key);
  if (const auto given = reader.optional_number("alpha"))
    policy.rules.alpha = between(place.key("alpha"), *given, least_level, .5);
  if (const auto given = reader.optional_number("alpha_ok"))
    policy.rules.alpha_ok = between(place.key("alpha_ok"), *given, least_level, .5);
  if (const auto given = reader.optional_integer("max_rounds")) {
    if (*given < 2 || *given > extended_rounds)
      place.key("max_rounds").refuse(fmt::format("is {}; it must be 2 to {}", *given, extended_rounds));
    policy.rules.max_rounds = *given;
  }
  policy.tolerance = tolerances(reader);
  if (reader.optional("metrics") != nullptr)
    reader.each("metrics", [&](const nlohmann::json& element, const result::Place& where) {
      policy.metrics.push_back(metric_rule(element, where));
    });
  if (reader.optional("treatment") != nullptr) policy.treatment = reader.texts("treatment");
  if (const nlohmann::json* expect = reader.optional("expect"); expect != nullptr)
    expectations(*expect, place.key("expect"), policy);
  policy.provisional_is_advisory = reader.optional_boolean("provisional_is_advisory").value_or(false);
  reader.done();
  require_treatment(policy.treatment);
  return policy;
}

void require_treatment(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.find_first_not_of(" .") == std::string::npos)
      throw result::UsageError("a treatment is empty; name a field of the fingerprint, such as driver");
    if (word == "suite" || word.starts_with("suite.") || word.starts_with("source_hash") ||
        word == "profile" || !baseline::can_be_treatment(word))
      throw result::UsageError(fmt::format(
          "treatment {}: another suite, profile or device is another measurement and can be no treatment",
          word));
  }
}

namespace {

/// Throws for keys of the policy that are not among these, apart from its schema. `heeds`: these, in words.
void require_heeded(const Policy& policy, const std::vector<std::string_view>& used, const char* where,
                    const char* heeds) {
  std::vector<std::string> idle;
  std::copy_if(policy.given.begin(), policy.given.end(), std::back_inserter(idle),
               [&](const std::string& key) {
                 return key != "schema" && std::find(used.begin(), used.end(), key) == used.end();
               });
  if (!idle.empty())
    throw result::UsageError(fmt::format("policy: {} {} no effect in {}, which heeds {}; leave {} out",
                                         fmt::join(idle, ", "), idle.size() == 1 ? "has" : "have", where,
                                         heeds, idle.size() == 1 ? "it" : "them"));
}

}  // namespace

void require_of_admission(const Policy& policy) {
  require_heeded(policy, {"tolerance", "metrics", "treatment"}, "an admission",
                 "tolerance, metrics and treatment");
}

void require_of_fleet(const Policy& policy) {
  require_heeded(policy, {"tolerance", "metrics"}, "a comparison of nodes", "tolerance and metrics");
}

bool expects_of_node(const Policy& policy) {
  return policy.expected_gpus || !policy.expected_models.empty() || policy.expected_rdma_ports;
}

std::vector<Verdict> judge_expectations(const Policy& policy, const NodeFound& found_there) {
  const std::vector<std::string>& models = found_there.models;
  std::vector<Verdict> out;
  if (policy.expected_gpus) {
    const auto found = static_cast<int>(models.size());
    out.push_back(expectation(
        "node:gpus", found == *policy.expected_gpus,
        fmt::format("the policy expects {} and {} {} usable", result::counted(*policy.expected_gpus, "GPU"),
                    found, found == 1 ? "is" : "are")));
  }
  if (!policy.expected_models.empty()) {
    std::vector<std::string> foreign;
    for (const std::string& model : models)
      if (std::none_of(policy.expected_models.begin(), policy.expected_models.end(),
                       [&](const std::string& pattern) { return result::matches(pattern, model); }))
        foreign.push_back(model);
    out.push_back(expectation(
        "node:gpu_models", foreign.empty() && !models.empty(),
        models.empty()    ? fmt::format("the policy expects {} and no GPU is usable",
                                        fmt::join(policy.expected_models, " or "))
        : foreign.empty() ? fmt::format("every GPU is one of {}", fmt::join(policy.expected_models, ", "))
                          : fmt::format("the policy expects {} and {} of {} GPUs are not: {}",
                                        fmt::join(policy.expected_models, " or "), foreign.size(),
                                        models.size(), fmt::join(foreign, ", "))));
  }
  if (policy.expected_rdma_ports) out.push_back(expectation_of_ports(policy, found_there.rdma_gigabits));
  return out;
}

}  // namespace gpugauge::judge
