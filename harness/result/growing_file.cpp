#include "result/growing_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::result {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 16;

}  // namespace

GrowingFile::GrowingFile(const std::filesystem::path& file) : file_(place_to_write(file)), descriptor_(-1) {
  const std::filesystem::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  remove_abandoned(folder, file_.filename().string());
  std::string temporary;
  descriptor_ = make_temporary(folder, file_.filename().string(), temporary);
  if (descriptor_.get() < 0) fail();
  temporary_ = std::make_unique<RemovedAtStop>(temporary);
  if (!admit_as(file_, descriptor_.get())) fail();
}

GrowingFile::~GrowingFile() {
  if (temporary_) ::unlink(temporary_->file().c_str());
}

void GrowingFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_bytes) flush();
}

void GrowingFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t count = ::write(descriptor_.get(), left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void GrowingFile::finish() {
  flush();
  if (::fsync(descriptor_.get()) != 0 || std::rename(temporary_->file().c_str(), file_.c_str()) != 0) fail();
  temporary_.reset();
  if (!descriptor_.close()) fail();
}

void GrowingFile::fail() const {
  throw FileError(fmt::format("{} could not be written: {}", file_.string(), std::strerror(errno)));
}

}  // namespace gpugauge::result
