// Keeps the end of a child's output, however long the output is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpugauge::run {

/// The most bytes of a process's output that a run file keeps.
inline constexpr std::size_t output_limit_bytes = 4096;

/// Remembers the last bytes of a stream; memory stays below twice the limit.
class OutputTail {
 public:
  /// Keeps at most `limit` bytes.
  explicit OutputTail(std::size_t limit = output_limit_bytes) : limit_(limit) {}
  void append(std::string_view bytes);  ///< the next piece; it may end anywhere, even inside a character
  /// The tail as valid UTF-8 of at most `limit` bytes. Invalid bytes, and control characters other than
  /// newline and tab, become U+FFFD. A character cut at the front is left out.
  std::string text() const;

 private:
  std::size_t limit_;
  std::string bytes_;
  bool cut_ = false;
};

/// Replaces invalid UTF-8 and control characters as OutputTail::text() does.
std::string to_valid_utf8(std::string_view bytes);

/// The last non-blank line, without its line end, at most 300 bytes. Programs usually print there why they
/// died.
std::string last_line(const std::string& text);

}  // namespace gpugauge::run
