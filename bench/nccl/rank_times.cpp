#include "nccl/rank_times.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "result/number.hpp"

namespace gpugauge::bench::nccl {

namespace {

std::string line_of(std::istringstream& lines) {
  std::string line;
  if (!std::getline(lines, line)) throw std::runtime_error("a rank sent times that lack a line");
  return line;
}

std::vector<double> numbers_in(const std::string& line) {
  std::vector<double> out;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto seconds = result::number_in<double>(word);
    if (!seconds)
      throw std::runtime_error(fmt::format("a rank sent \"{}\" where seconds stand", word.substr(0, 40)));
    out.push_back(*seconds);
  }
  return out;
}

std::string to_line(const std::vector<double>& seconds) {
  std::string out;
  for (const double one : seconds) out += fmt::format("{:.7g} ", one);
  return out + "\n";
}

}  // namespace

// Format: host; pairs of UUID and seconds; the iterations.
std::string to_text(const RankTimes& times) {
  std::string medians;
  for (const auto& [uuid, seconds] : times.medians) medians += fmt::format("{} {:.7g} ", uuid, seconds);
  return fmt::format("{}\n{}\n{}", times.host, medians, to_line(times.seconds));
}

std::string to_text(const Timed& timed) {
  return fmt::format("{}\n{}\n{}", timed.slowest, timed.quickest, to_line(timed.seconds));
}

Timed parse_timed(const std::string& text) {
  std::istringstream lines(text);
  Timed out;
  out.slowest = line_of(lines);
  out.quickest = line_of(lines);
  out.seconds = numbers_in(line_of(lines));
  return out;
}

Timed slowest_of(const std::vector<std::string>& all) {
  Timed out;
  double longest = 0;
  double shortest = HUGE_VAL;
  for (const std::string& one : all) {
    std::istringstream lines(one);
    const std::string host = line_of(lines);
    std::istringstream words(line_of(lines));
    for (std::string uuid, value; words >> uuid >> value;) {
      const double seconds = numbers_in(value).front();
      const std::string rank = fmt::format("{} ({})", uuid, host);
      if (seconds > longest) out.slowest = rank;
      if (seconds < shortest) out.quickest = rank;
      longest = std::max(longest, seconds);
      shortest = std::min(shortest, seconds);
    }
    const std::vector<double> seconds = numbers_in(line_of(lines));
    if (&one == &all.front()) out.seconds.assign(seconds.size(), 0);
    if (seconds.size() != out.seconds.size())
      throw std::runtime_error(fmt::format("a rank on {} timed {} iterations where another timed {}", host,
                                           seconds.size(), out.seconds.size()));
    for (std::size_t i = 0; i < seconds.size(); ++i) out.seconds[i] = std::max(out.seconds[i], seconds[i]);
  }
  return out;
}

}  // namespace gpugauge::bench::nccl
