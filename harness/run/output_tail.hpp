// Keeps the end of what a child printed, however much that was.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpugauge::run {

/// What of a family's output a run file keeps, at most.
inline constexpr std::size_t output_limit_bytes = 4096;

/// Remembers the last bytes of a stream; memory stays below twice the limit.
class OutputTail {
 public:
  /// Keeps at most `limit` bytes.
  explicit OutputTail(std::size_t limit = output_limit_bytes) : limit_(limit) {}
  void append(std::string_view bytes);  ///< what came next; a piece may end anywhere, within a character too
  /// The tail as valid UTF-8 of at most `limit` bytes: what is not UTF-8 and control characters other than
  /// newline and tab become U+FFFD; a character that was cut at the front is left out.
  std::string text() const;

 private:
  std::size_t limit_;
  std::string bytes_;
  bool cut_ = false;
};

/// The same repair for any text.
std::string to_valid_utf8(std::string_view bytes);

/// The last line that is not blank, without its end, at most 300 bytes of it: what a program usually dies
/// with.
std::string last_line(const std::string& text);

}  // namespace gpugauge::run
