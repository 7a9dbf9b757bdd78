// The progress line: on a terminal one line that overwrites itself, elsewhere a new line now and then.
#pragma once

#include <cstdio>
#include <string>

#include "report/terminal.hpp"

namespace gpugauge::report {

/// The progress of a long task.
struct ProgressState {
  std::string title;    ///< "round 1 of GPU 0"
  int done = 0;         ///< finished steps; the task defines a step
  int total = 0;        ///< steps in all; 0 draws an empty bar
  std::string current;  ///< what runs now
  double elapsed = 0;   ///< seconds
  double left = -1;     ///< seconds, < 0 unknown
};

/// Writes to standard error, never to standard output.
class ProgressLine {
 public:
  /// `stream` is not closed. With `quiet` nothing is ever written.
  ProgressLine(Terminal terminal, bool quiet, std::FILE* stream = stderr);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Draws at once on a terminal. Elsewhere writes a line when a step ends, at most every five seconds.
  void show(const ProgressState& state);
  /// Erases the line, so that other text can be written.
  void clear();

 private:
  /// Ignores errors: a closed or full stream loses only its progress.
  void write(const std::string& text);

  Terminal terminal_;
  bool quiet_;
  std::FILE* stream_;
  bool drawn_ = false;
  int last_done_ = -1;
  double last_seconds_ = 0;
};

/// The line's text, without colour: "round 1  [######......]  3/5  host  12 s, 20 s left".
std::string progress_text(const ProgressState& state, int width);

}  // namespace gpugauge::report
