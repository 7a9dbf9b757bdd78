// Errors that a user reads: one sentence, what, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// Foreign text on one line: control characters (line ends and escape sequences included) become '?', what is
/// no UTF-8 too.
std::string one_line(std::string_view text);

/// A sentence quotes what a file holds and how it is called: it is put on one line here, so that no reader
/// has to think of it.
class Sentence : public std::runtime_error {
 public:
  /// `sentence` as one_line() makes it.
  explicit Sentence(const std::string& sentence) : std::runtime_error(one_line(sentence)) {}
};

/// A file is not what it should be. what() is one sentence with file, place and fault.
class FormatError : public Sentence {
  using Sentence::Sentence;
};

/// A file could not be read or written. what() names the file, the operation and the system's reason.
class FileError : public Sentence {
  using Sentence::Sentence;
};

/// The user asked for something that does not exist or does not fit together.
class UsageError : public Sentence {
  using Sentence::Sentence;
};

}  // namespace gpugauge::result
