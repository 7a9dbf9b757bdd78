#include "report/terminal.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace gpugauge::report {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

const char* escape(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "\x1b[32m";
    case Tone::bad:
      return "\x1b[1;31m";
    case Tone::doubt:
      return "\x1b[33m";
    case Tone::faint:
      return "\x1b[2m";
    case Tone::strong:
      return "\x1b[1m";
    case Tone::normal:
      break;
  }
  return "";
}

constexpr const char* unpainted = "\x1b[0m";

/// Length of a sequence of paint() that the text begins with, 0 for none.
std::size_t paint_at(std::string_view text) {
  if (text.starts_with(unpainted)) return std::string_view(unpainted).size();
  for (const Tone tone : {Tone::good, Tone::bad, Tone::doubt, Tone::faint, Tone::strong})
    if (text.starts_with(escape(tone))) return std::string_view(escape(tone)).size();
  return 0;
}

/// Whether a control character stands at `at` that may not pass; U+0080 to U+009F take two bytes.
bool forbidden(std::string_view text, std::size_t at) {
  const auto here = static_cast<unsigned char>(text[at]);
  if (here == 0xc2 && at + 1 < text.size()) {
    const auto next = static_cast<unsigned char>(text[at + 1]);
    return next >= 0x80 && next < 0xa0;
  }
  return (here < 0x20 && here != '\n' && here != '\t') || here == 0x7f;
}

}  // namespace

std::string guarded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!forbidden(text, at)) {
      out += text[at];
    } else if (const std::size_t length = paint_at(text.substr(at)); length > 0) {
      out += text.substr(at, length);
      at += length - 1;
    } else {
      if (text[at] == '\xc2') ++at;
      out += '?';
    }
  }
  return out;
}

std::string Terminal::paint(std::string_view text, Tone tone) const {
  if (!colour || tone == Tone::normal || text.empty()) return std::string(text);
  return std::string(escape(tone)) + std::string(text) + unpainted;
}

Terminal terminal(int descriptor) {
  Terminal made;
  made.interactive = ::isatty(descriptor) != 0 && environment("TERM") != "dumb";
  made.colour = made.interactive && environment("NO_COLOR").empty();
  int columns = 0;
  const std::string_view wanted = environment("COLUMNS");
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), columns);
  struct winsize size {};
  if (columns <= 0 && ::isatty(descriptor) != 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0)
    columns = size.ws_col;
  made.measured = columns > 0;
  if (columns > 0) made.width = std::clamp(columns, 60, 400);
  return made;
}

Terminal uncut(Terminal terminal) {
  constexpr int unlimited = 100000;
  if (!terminal.measured) terminal.width = unlimited;
  return terminal;
}

}  // namespace gpugauge::report
