// What the files beside this folder share: a target is a function of foreign bytes, known by its name, and
// the contract that every reader of the project keeps.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "result/error.hpp"

namespace gpugauge::fuzz {

/// Reads the bytes in every way that the product does. Returns when the contract held; a fault ends the
/// process, which is what a fuzzer sees.
using Read = void (*)(std::string_view bytes);

/// Makes a target known by its name, that of its file.
class Target {
 public:
  Target(const char* name, Read reader);
  const std::string& name() const { return name_; }
  Read read() const { return read_; }

 private:
  std::string name_;
  Read read_;
};
/// Those of this executable, in the order in which they were made known.
const std::vector<const Target*>& targets();

/// Ends the process with the sentence unless it holds.
void require(bool holds, std::string_view sentence);
/// A refusal's sentence: not empty, one line, no control character.
void require_sentence(std::string_view sentence);

/// Runs a reader. True when it returned; false when it refused with one of the project's own errors, whose
/// sentence is checked. Anything else that is thrown is a fault.
template <typename Reader>
bool accepted(const Reader& reader) {
  try {
    reader();
    return true;
  } catch (const result::FormatError& error) {
    require_sentence(error.what());
  } catch (const result::FileError& error) {
    require_sentence(error.what());
  } catch (const result::UsageError& error) {
    require_sentence(error.what());
  } catch (const std::exception& error) {
    require(false, std::string("an exception that is no refusal: ") + error.what());
  }
  return false;
}

/// Reads, writes what was read, and reads that: it must be the same again. False when it was refused.
template <typename Parse, typename Write>
bool comes_back(std::string_view bytes, const Parse& parse, const Write& write) {
  const std::string text(bytes);
  decltype(parse(text)) first{};
  if (!accepted([&] { first = parse(text); })) return false;
  std::string written;
  require(accepted([&] { written = write(first); }), "what was read cannot be written");
  decltype(parse(text)) second{};
  require(accepted([&] { second = parse(written); }), "what was written is refused");
  require(write(second) == written, "what was written reads as something else");
  return true;
}

/// The bytes up to the next line end, which is taken off with them.
std::string_view take_line(std::string_view& bytes);

}  // namespace gpugauge::fuzz
