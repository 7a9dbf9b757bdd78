// Reports whose cause is known: other people's, encoded as observations, and typical ones of each cause.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/observation.hpp"

namespace gpugauge::diagnose {

/// One report of harness/diagnose/reports (its README.md says what the sets are).
struct KnownReport {
  std::string id;                   ///< "AE04"; unique in its set
  std::string set;                  ///< the set that it came with: "AE"; "given", "typical"
  std::vector<std::string> causes;  ///< each is a right answer; empty where no cause may be named
  std::string source;       ///< "owner/name#12", an address, or other words; "" where it was not published
  std::string established;  ///< what was found there, in one or two sentences; "" where nobody noted it
  Observation seen;         ///< what the report itself observed
};

/// Those that were compiled in, read anew at each call. Throws std::logic_error where a file that was compiled in is not as described.
std::vector<KnownReport> known_reports();

/// Value of the key "schema" of a site's own reports (docs/schema/known-reports.schema.json).
inline constexpr std::string_view known_reports_schema = "gpugauge.known-reports/1";

/// Reads a site's own reports, each with at least one cause; their set is "site". Throws result::FormatError for
/// invalid JSON, an unknown key, an id that is repeated, or an observation that parse_observation refuses; the
/// message is one sentence with file, place and fault, and `origin` names the file.
std::vector<KnownReport> parse_known_reports(const std::string& text, const std::string& origin);

}  // namespace gpugauge::diagnose
