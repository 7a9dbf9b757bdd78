#include "conductor/place.hpp"

#include <system_error>

#include <fmt/format.h>

namespace gpugauge::conductor {

bool names_a_folder(const std::filesystem::path& asked) {
  std::error_code ignored;
  return !asked.empty() && (!asked.has_filename() || std::filesystem::is_directory(asked, ignored));
}

std::filesystem::path place_of_round(const std::filesystem::path& runs_folder, const std::string& id,
                                     const std::filesystem::path& asked, const std::string& host,
                                     const std::optional<result::Rank>& rank) {
  if (asked.empty()) return result::with_rank(runs_folder / (id + ".json"), host, rank);
  if (!names_a_folder(asked)) return result::with_rank(asked, host, rank);
  const bool several = rank && rank->size > 1;
  return asked / host / fmt::format("{}{}.json", id, several ? fmt::format(".rank{}", rank->rank) : "");
}

}  // namespace gpugauge::conductor
