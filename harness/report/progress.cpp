#include "report/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/format.hpp"

namespace gpugauge::report {

std::string progress_text(const ProgressState& state, int width) {
  constexpr int cells = 20;
  const int filled = state.total > 0 ? std::clamp(cells * state.done / state.total, 0, cells) : 0;
  const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                          std::string(static_cast<std::size_t>(cells - filled), '.');
  const std::string now =
      fmt::format("{}/{}  {}  {}", state.done, state.total, state.current, duration(state.elapsed));
  const std::string left = state.left >= 0 ? fmt::format(", about {} left", duration(state.left)) : "";
  const std::string beside = fmt::format("{}  {}", state.title, now);
  const auto room = static_cast<std::size_t>(std::max(width - 1, 20));
  for (const std::string& text :
       {fmt::format("{}  [{}]  {}{}", state.title, bar, now, left), beside + left, beside})
    if (text.size() <= room) return text;
  // Cut at whole words: half a number would be a different one.
  const std::string shown = beside.substr(0, std::min(room, beside.rfind(' ', room)));
  return shown.substr(0, shown.find_last_not_of(' ') + 1);
}

ProgressLine::ProgressLine(Terminal terminal, bool quiet, std::FILE* stream)
    : terminal_(terminal), quiet_(quiet), stream_(stream) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const ProgressState& state) {
  if (quiet_) return;
  if (terminal_.interactive) {
    write("\r\x1b[K" + progress_text(state, terminal_.width));
    drawn_ = true;
    return;
  }
  // In a log: when a step ends, at most every five seconds.
  if (state.done == last_done_ ||
      (state.done < state.total && state.elapsed - last_seconds_ < 5 && last_done_ >= 0))
    return;
  last_done_ = state.done;
  last_seconds_ = state.elapsed;
  write(progress_text(state, 200) + "\n");
}

void ProgressLine::clear() {
  last_done_ = -1;
  if (!drawn_) return;
  write("\r\x1b[K");
  drawn_ = false;
}

void ProgressLine::write(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace gpugauge::report
