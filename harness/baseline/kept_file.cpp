#include "baseline/kept_file.hpp"

#include <string>
#include <system_error>

#include <fmt/format.h>

#include "baseline/baseline.hpp"
#include "result/error.hpp"

namespace gpugauge::baseline {
namespace {

namespace fs = std::filesystem;

/// The beginning of `place` that is the state folder; empty if `place` lies elsewhere or there is none.
fs::path state_above(const fs::path& place) {
  fs::path state;
  try {
    state = state_directory();
  } catch (const result::UsageError&) {
    return {};  // there is none
  }
  std::error_code error;
  fs::path found;
  for (fs::path above = place.parent_path();; above = above.parent_path()) {
    if (fs::equivalent(above, state, error)) found = above;
    if (above == above.parent_path()) return found;  // the topmost one: a link below may lead back to it
  }
}

}  // namespace

void refuse_links_in_state(const fs::path& given) {
  std::error_code error;
  // Do not normalise: behind a link to a folder, ".." is another place.
  fs::path place = fs::absolute(given, error);
  if (!place.has_filename()) place = place.parent_path();
  const fs::path state = state_above(place);
  if (state.empty()) return;
  fs::path here = state;
  for (const fs::path& part : place.lexically_relative(state)) {
    here /= part;
    if (fs::is_symlink(fs::symlink_status(here, error)))
      throw result::FileError(
          fmt::format("{} is a link: what is kept in the state folder {} goes through none; put a file or "
                      "folder of its own there, or name another state folder with --state-dir",
                      here.string(), state.string()));
  }
}

void keep_file(const fs::path& file, std::string_view content) {
  refuse_links_in_state(file);
  result::write_file(file, content);
}

void keep_file(const fs::path& file, std::string_view content,
               const std::optional<result::FileState>& before) {
  refuse_links_in_state(file);
  result::write_file(file, content, before);
}

}  // namespace gpugauge::baseline
