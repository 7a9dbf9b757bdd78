#include "report/terminal.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "result/error.hpp"
#include "result/number.hpp"

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

/// Length of a paint() sequence at the start of the text; 0 if there is none.
std::size_t paint_at(std::string_view text) {
  if (text.starts_with(unpainted)) return std::string_view(unpainted).size();
  for (const Tone tone : {Tone::good, Tone::bad, Tone::doubt, Tone::faint, Tone::strong})
    if (text.starts_with(escape(tone))) return std::string_view(escape(tone)).size();
  return 0;
}

}  // namespace

std::string guarded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t forbidden = rest[0] == '\n' || rest[0] == '\t' ? 0 : result::control(rest);
    const std::size_t painted = forbidden == 0 ? 0 : paint_at(rest);
    if (forbidden == 0 || painted > 0)
      out += rest.substr(0, std::max<std::size_t>(painted, 1));
    else
      out += '?';
    at += painted > 0 ? painted : std::max<std::size_t>(forbidden, 1);
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
  int columns = result::leading_number<int>(environment("COLUMNS")).value_or(0);
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
