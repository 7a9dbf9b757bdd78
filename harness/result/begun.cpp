#include "result/begun.hpp"

#include <system_error>

#include <fmt/format.h>

#include "result/error.hpp"

namespace gpugauge::result {

Begun::~Begun() {
  std::error_code ignored;
  // A folder with foreign content is not empty and stays.
  for (std::size_t i = new_.size(); i-- > 0;) std::filesystem::remove(new_[i], ignored);
}

void Begun::make_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code error;
  // A dangling link counts as existing, too.
  for (std::filesystem::path at = folder;
       !at.empty() && !std::filesystem::exists(std::filesystem::symlink_status(at, error));
       at = at.parent_path())
    missing.push_back(at);
  new_.insert(new_.end(), missing.rbegin(), missing.rend());
  std::filesystem::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("the folder {} could not be made: {}", folder.string(), error.message()));
}

void Begun::add_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, error))) new_.push_back(file);
}

}  // namespace gpugauge::result
