// Reads a file's bytes at any offset, without reading all of it: GPU libraries have hundreds of megabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

namespace gpugauge::stack {

/// A window onto an open regular file: all of it, or a part such as an archive's member. Copies share the
/// file. If the file shrinks meanwhile, reads yield fewer bytes.
class FileBytes {
 public:
  FileBytes() = default;
  /// Never blocks: does not open anything but a regular file (no folder, FIFO or device).
  explicit FileBytes(const std::filesystem::path& file);

  bool opened() const { return file_ != nullptr; }  ///< a regular file is open
  int error() const { return error_; }              ///< errno if not opened; EINVAL if it is no regular file
  std::uint64_t size() const { return size_; }      ///< bytes in this window; 0 if not opened

  /// Reads from an offset in this window; returns fewer bytes at its end.
  std::string read(std::uint64_t offset, std::size_t count) const;
  /// The window from an offset on, cut at the end of this window.
  FileBytes part(std::uint64_t offset, std::uint64_t size) const;
  /// The plain value at an offset; nullopt if it does not lie within the window.
  template <typename Value>
  std::optional<Value> value(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value found{};
    if (fill(offset, &found, sizeof found) != sizeof found) return std::nullopt;
    return found;
  }
  /// The zero-terminated text at an offset; "" if it does not end within 4 KiB.
  std::string text(std::uint64_t offset) const;

 private:
  struct Descriptor;
  std::size_t fill(std::uint64_t offset, void* target, std::size_t count) const;

  std::shared_ptr<const Descriptor> file_;
  std::uint64_t begin_ = 0;
  std::uint64_t size_ = 0;
  int error_ = 0;
};

}  // namespace gpugauge::stack
