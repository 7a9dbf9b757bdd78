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

}  // namespace

std::string Terminal::paint(std::string_view text, Tone tone) const {
  if (!colour || tone == Tone::normal || text.empty()) return std::string(text);
  return std::string(escape(tone)) + std::string(text) + "\x1b[0m";
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
