// A file's bytes at any offset, without reading the whole of it: GPU libraries are hundreds of megabytes
// long.
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
/// file. A file that shrinks while it is read only yields fewer bytes.
class FileBytes {
 public:
  FileBytes() = default;
  /// Never blocks: what is no regular file (a folder, a FIFO, a device) is not opened.
  explicit FileBytes(const std::filesystem::path& file);

  bool opened() const { return file_ != nullptr; }  ///< a regular file is behind it
  int error() const { return error_; }          ///< errno unless opened; EINVAL where it is no regular file
  std::uint64_t size() const { return size_; }  ///< bytes of this window; 0 unless opened

  /// Bytes from an offset of this window, fewer where it ends.
  std::string read(std::uint64_t offset, std::size_t count) const;
  /// The part from an offset, cut where this window ends.
  FileBytes part(std::uint64_t offset, std::uint64_t size) const;
  /// A plain value at an offset, nullopt where it does not lie within.
  template <typename Value>
  std::optional<Value> value(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value found{};
    if (fill(offset, &found, sizeof found) != sizeof found) return std::nullopt;
    return found;
  }
  /// The zero-terminated text at an offset; "" where it does not end within 4 KiB.
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
