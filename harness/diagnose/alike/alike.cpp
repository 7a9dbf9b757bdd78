#include "diagnose/alike/alike.hpp"

#include <algorithm>
#include <cmath>

#include "diagnose/alike/terms.hpp"

namespace gpugauge::diagnose {
namespace {

constexpr std::size_t shared_most = 4;
/// Of so few reports every term is worth telling.
constexpr std::size_t few_reports = 20;

double three_decimals(double likeness) {
  constexpr double steps = 1000;
  return std::round(likeness * steps) / steps;
}

}  // namespace

ReportIndex::ReportIndex(const std::vector<KnownReport>& reports) {
  std::vector<std::map<std::string, int>> counts;
  std::map<std::string, int> holders;
  for (const KnownReport& report : reports) {
    if (report.causes.empty()) continue;
    reports_.push_back({report.causes, report.source, report.established});
    counts.push_back(terms(report.seen));
    for (const auto& [term, count] : counts.back()) ++holders[term];
  }
  const auto all = static_cast<double>(reports_.size());
  for (const auto& [term, held] : holders) terms_[term].idf = 1 + std::log((1 + all) / (1 + held));
  std::map<std::string, Weighted> sums;
  for (std::size_t i = 0; i < reports_.size(); ++i)
    for (const auto& [term, weight] : weigh(counts[i])) {
      terms_.find(term)->second.reports.emplace_back(i, weight);
      for (const std::string& cause : reports_[i].causes) sums[cause][term] += weight;
    }
  for (const auto& [cause, sum] : sums) {
    double squares = 0;
    for (const auto& [term, weight] : sum) squares += weight * weight;
    norms_[cause] = std::sqrt(squares);
  }
}

ReportIndex::Weighted ReportIndex::weigh(const std::map<std::string, int>& counts) const {
  Weighted out;
  double squares = 0;
  for (const auto& [name, count] : counts) {
    const auto known = terms_.find(name);
    if (known == terms_.end()) continue;
    const double weight = (1 + std::log(count)) * known->second.idf;
    out[known->first] = weight;
    squares += weight * weight;
  }
  for (auto& [term, weight] : out) weight /= std::sqrt(squares);
  return out;
}

std::vector<Alike> ReportIndex::rank(const Observation& observation, std::size_t detailed) const {
  const Weighted asked = weigh(terms(observation));
  std::vector<double> likeness(reports_.size());
  for (const auto& [name, weight] : asked)
    for (const auto& [report, other] : terms_.find(name)->second.reports) likeness[report] += weight * other;
  std::map<std::string_view, double> sums;
  for (std::size_t i = 0; i < reports_.size(); ++i)
    for (const std::string& cause : reports_[i].causes) sums[cause] += likeness[i];
  std::vector<Alike> out;
  out.reserve(norms_.size());
  for (const auto& [cause, norm] : norms_) {
    Alike one;
    one.cause = cause;
    one.likeness = three_decimals(sums[cause] / norm);
    out.push_back(std::move(one));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Alike& a, const Alike& b) { return a.likeness > b.likeness; });
  for (std::size_t i = 0; i < std::min(detailed, out.size()); ++i) add_details(asked, likeness, out[i]);
  return out;
}

void ReportIndex::add_details(const Weighted& asked, const std::vector<double>& likeness, Alike& out) const {
  const auto is_of_cause = [&](const Report& report) {
    return std::find(report.causes.begin(), report.causes.end(), out.cause) != report.causes.end();
  };
  std::vector<std::pair<double, std::string_view>> shares;
  for (const auto& [name, weight] : asked) {
    double share = 0;
    const Term& term = terms_.find(name)->second;
    if (reports_.size() > few_reports && term.reports.size() * 4 > reports_.size()) continue;
    for (const auto& [report, other] : term.reports)
      if (is_of_cause(reports_[report])) share += weight * other;
    if (share > 0) shares.emplace_back(share, name);
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(shared_most, shares.size()); ++i)
    out.shared.emplace_back(shares[i].second);
  double best = 0;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    if (reports_[i].source.empty() || likeness[i] <= best || !is_of_cause(reports_[i])) continue;
    best = likeness[i];
    out.source = reports_[i].source;
    out.established = reports_[i].established;
  }
}

}  // namespace gpugauge::diagnose
