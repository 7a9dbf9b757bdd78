// The matrices of NVIDIA's p2pBandwidthLatencyTest (cuda-samples): bandwidths between each two GPUs in GB/s, and latencies
// in microseconds.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "diagnose/told/told.hpp"
#include "diagnose/words.hpp"
#include "result/number.hpp"

namespace gpugauge::diagnose {
namespace {

/// The figures of the rows behind a heading that are not on the diagonal. A row is its GPU and one figure a GPU.
std::vector<double> off_diagonal(const TextLineList& lines, std::size_t heading) {
  std::vector<double> out;
  double row = 0;
  // The line behind the heading names the columns; of two alike a text keeps the first.
  const bool columns = heading + 1 < lines.size() && contains_any(lines[heading + 1], {"D\\D", "GPU "});
  for (std::size_t at = heading + (columns ? 2 : 1); at < lines.size(); ++at) {
    std::istringstream words(lines[at]);
    std::vector<double> figures;
    for (std::string word; words >> word;) {
      const auto number = result::number_in<double>(word);
      if (!number) return out;
      figures.push_back(*number);
    }
    if (figures.size() < 2 || figures.front() != row) break;
    for (std::size_t column = 1; column < figures.size(); ++column)
      if (static_cast<double>(column - 1) != row) out.push_back(figures[column]);
    ++row;
  }
  return out;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The middle figures of one of the test's pairs of matrices.
struct Pair {
  double with = 0;
  double without = 0;
};

/// nullopt where the matrix with peer access is missing; `without` is 0 where the other one is.
std::optional<Pair> pair_of(const TextLineList& lines, std::string_view heading) {
  std::vector<double> with;
  std::vector<double> without;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (!contains(lines[at], heading)) continue;
    std::vector<double>& into = contains(lines[at], "P2P=Enabled") ? with : without;
    if (into.empty()) into = off_diagonal(lines, at);
  }
  if (with.empty()) return std::nullopt;
  const Pair out{middle(with), without.empty() ? 0 : middle(without)};
  return out.with > 0 ? std::optional<Pair>(out) : std::nullopt;
}

/// A write to a peer takes some microseconds; one that takes a millisecond and more does not arrive.
constexpr double never_us = 1000;

}  // namespace

std::optional<Metric> peer_matrix_of(const TextLineList& lines) {
  Metric out;
  out.metric_class = "p2p";
  if (const auto latency = pair_of(lines, "P2P=*Latency*Matrix"); latency && latency->with > never_us) {
    out.fails = true;
    out.note = fmt::format("a write to another GPU takes {:.0f} us with peer access", latency->with);
    return out;
  }
  const auto bandwidth = pair_of(lines, "Unidirectional P2P=*Bandwidth*Matrix");
  if (!bandwidth || bandwidth->without <= 0) return std::nullopt;
  out.factor = bandwidth->without / bandwidth->with;
  out.note = fmt::format("copies between GPUs: {:.3g} GB/s with peer access, {:.3g} GB/s without",
                         bandwidth->with, bandwidth->without);
  return out;
}

}  // namespace gpugauge::diagnose
