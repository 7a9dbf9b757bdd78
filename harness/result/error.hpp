// Errors that a user reads: one sentence, what, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// Bytes of the first UTF-8 character of a text that is not empty; 0 if none begins there.
std::size_t character(std::string_view text);

/// Bytes of the text's first character if it is a control: one that moves or hides others. These are C0 (line
/// ends, escape sequences), DEL, C1, marks that change the writing direction, line and paragraph separators,
/// and zero-width characters. The two joiners are excepted because some scripts need them. 0 for any other
/// character and for an empty text.
std::size_t control(std::string_view text);

/// Foreign text on one line: each control() and each invalid UTF-8 byte becomes '?'. A text above `most`
/// bytes (8 or more) loses its middle.
std::string one_line(std::string_view text, std::size_t most = std::string::npos);

/// A foreign word for sentences and tables, on one line. A word above 80 characters is cut and ends in "...".
std::string shortened(std::string_view text);
/// shortened() in single quotes. Takes its argument by value: a reference would lose to std::quoted().
std::string quoted(std::string text);

/// Most bytes in a sentence; the middle of longer ones is cut out.
inline constexpr std::size_t longest_sentence = 4000;

/// Base of errors whose sentence quotes file names and content. Its constructor puts the sentence on one line
/// and limits its length, so no reader has to.
class Sentence : public std::runtime_error {
 public:
  /// Applies one_line() with longest_sentence.
  explicit Sentence(const std::string& sentence) : std::runtime_error(one_line(sentence, longest_sentence)) {}
};

/// A file has invalid content. what() is one sentence with file, place and fault.
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
