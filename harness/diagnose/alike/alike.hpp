// Which causes the known reports had that read like an observation. That is likeness of words, and no evidence.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/alike/known_reports.hpp"

namespace gpugauge::diagnose {

/// A cause whose known reports read like an observation.
struct Alike {
  std::string cause;    ///< name in the catalogue, or of a cause that the doctor alone finds
  double likeness = 0;  ///< 0 to 1, three decimals: 0 no term is shared, 1 the same terms as often
  std::vector<std::string>
      shared;  ///< the terms that add most to it, at most four, most first; none that a quarter of all reports hold
  std::string source;       ///< the published report of this cause that is most alike; "" for none
  std::string established;  ///< what was found there; "" where nobody noted it
};

/// Known reports, ready to be compared with. A report is a vector of weights of its terms: (1 + ln n) for a term that
/// occurs n times, times 1 + ln((1 + N) / (1 + d)) where d of the N reports hold it, scaled to length 1 (Salton and
/// Buckley 1988, "Term-weighting approaches in automatic text retrieval"). A term of
/// no report is left out. A cause is the scaled sum of its reports (Rocchio 1971), and its likeness the cosine of the angle between the two.
class ReportIndex {
 public:
  /// Of reports without a cause only nothing is kept.
  explicit ReportIndex(const std::vector<KnownReport>& reports);

  /// Every cause that has a report, the most alike first; equal ones by name. `shared`, `source` and `established`
  /// are given for the first `detailed`.
  std::vector<Alike> rank(const Observation& observation, std::size_t detailed) const;

  /// Whether there is a known report of the cause.
  bool knows(std::string_view cause) const { return norms_.contains(cause); }

 private:
  struct Report {
    std::vector<std::string> causes;
    std::string source;
    std::string established;
  };
  struct Term {
    double idf = 0;                                       ///< 1 + ln((1 + N) / (1 + d))
    std::vector<std::pair<std::size_t, double>> reports;  ///< index in reports_, and the term's weight there
  };
  using Weighted = std::map<std::string_view, double>;

  /// The terms that are known, with their weights, scaled to length 1; empty where none is.
  Weighted weigh(const std::map<std::string, int>& counts) const;
  void add_details(const Weighted& asked, const std::vector<double>& likeness, Alike& out) const;

  std::vector<Report> reports_;
  std::map<std::string, Term, std::less<>> terms_;
  std::map<std::string, double, std::less<>> norms_;  ///< of each cause: the length of the sum of its reports
};

}  // namespace gpugauge::diagnose
