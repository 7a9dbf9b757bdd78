// Errors that a user reads: one sentence, what, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// Bytes of the character at the front of a text that is not empty; 0 where no character of UTF-8 stands
/// there.
std::size_t character(std::string_view text);

/// Bytes of the character at the front of a text where that one moves or hides others instead of standing for
/// itself: C0 (line ends and escape sequences begin with these), DEL, C1, marks that turn the direction of
/// writing, ends of lines and paragraphs, what has no width (but the two joiners, which
/// some scripts need). 0 for any other, and for an empty text.
std::size_t control(std::string_view text);

/// Foreign text on one line: each control() becomes '?', what is no UTF-8 too. Of more than `most` bytes (8
/// or more) the middle is left out.
std::string one_line(std::string_view text, std::size_t most = std::string::npos);

/// A foreign word as sentences and tables tell it: on one line, of more than 80 characters the first ones and
/// "...".
std::string shortened(std::string_view text);
/// The same in single quotes. By value: a reference would lose to std::quoted().
std::string quoted(std::string text);

/// Bytes of the longest sentence: what it tells is cut in the middle before it tells more.
inline constexpr std::size_t longest_sentence = 4000;

/// A sentence quotes what a file holds and how it is called: it is put on one line here and gets its longest
/// length, so that no reader has to think of it.
class Sentence : public std::runtime_error {
 public:
  /// `sentence` as one_line() makes it, of longest_sentence at most.
  explicit Sentence(const std::string& sentence) : std::runtime_error(one_line(sentence, longest_sentence)) {}
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
