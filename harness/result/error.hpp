// Errors that a user reads: one sentence, what, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace gpugauge::result {

/// A file is not what it should be. what() is one sentence with file, place and fault.
class FormatError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file could not be read or written. what() names the file, the operation and the system's reason.
class FileError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user asked for something that does not exist or does not fit together.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gpugauge::result
