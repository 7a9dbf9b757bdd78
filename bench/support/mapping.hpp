// Anonymous memory straight from the kernel, released by the destructor.
#pragma once

#include <cstddef>
#include <new>
#include <string>

namespace gpugauge::bench {

/// Host memory could not be allocated. It becomes a skip that names the size.
class OutOfMemory : public std::bad_alloc {
 public:
  /// `bytes`: what was asked for; what() names it in a sentence.
  explicit OutOfMemory(std::size_t bytes);
  /// One sentence with the size.
  const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

/// The page size to ask the kernel for.
enum class Pages { huge, small };

/// Zeroed private pages, aligned to 2 MiB. `huge` asks for transparent huge pages, and gets small ones where
/// the kernel has them off. `small` refuses huge pages. No page is touched yet. Throws OutOfMemory.
class Mapping {
 public:
  /// Maps `bytes` bytes, 1 or more.
  Mapping(std::size_t bytes, Pages pages);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// The first byte; never null.
  std::byte* data() const { return data_; }
  /// Bytes as asked for.
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace gpugauge::bench
