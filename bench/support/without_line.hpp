// Keeps one line out of a stream.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace gpugauge::bench {

/// As long as it lives, the stream leaves out each line that is exactly `line`. What else is written passes at
/// each flush, and what is left of a line at the end.
class WithoutLine : private std::streambuf {
 public:
  /// `line`: without its newline, not empty. `stream` must outlive this.
  WithoutLine(std::ostream& stream, std::string line);
  ~WithoutLine() override;
  WithoutLine(const WithoutLine&) = delete;
  WithoutLine& operator=(const WithoutLine&) = delete;

 private:
  int_type overflow(int_type character) override;
  int sync() override;
  void pass();

  std::ostream& stream_;
  std::streambuf* behind_;
  std::string line_;
  std::string begun_;  // of the current line, what has not passed yet
  bool fresh_ = true;  // nothing of the current line has passed
};

}  // namespace gpugauge::bench
