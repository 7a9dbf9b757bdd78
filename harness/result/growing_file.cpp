#include "result/growing_file.hpp"

#include <cstddef>

#include "result/stops_held_back.hpp"

namespace gpugauge::result {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& file) {
  // A stop between making the file and recording it would leave it behind.
  const StopsHeldBack until_it_is_known;
  file_.emplace(file);
}

void GrowingFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < buffer_bytes) return;
  file_->write(buffer_);
  buffer_.clear();
}

void GrowingFile::finish() {
  file_->write(buffer_);
  buffer_.clear();
  const StopsHeldBack until_it_has_its_name;
  file_->finish();
}

}  // namespace gpugauge::result
