// The matrices of NVIDIA's p2pBandwidthLatencyTest (cuda-samples): bandwidths between each two GPUs in GB/s.
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
  std::size_t row = 0;
  for (std::size_t at = heading + 1; at < lines.size(); ++at) {
    std::istringstream words(lines[at]);
    std::vector<double> figures;
    bool numbers = true;
    for (std::string word; words >> word;) {
      const auto number = result::number_in<double>(word);
      numbers = numbers && number.has_value();
      if (number) figures.push_back(*number);
    }
    if (!numbers && out.empty() && contains(lines[at], "D\\D")) continue;
    if (!numbers || figures.size() < 2 || static_cast<std::size_t>(figures.front()) != row) break;
    for (std::size_t column = 1; column < figures.size(); ++column)
      if (column - 1 != row) out.push_back(figures[column]);
    ++row;
  }
  return out;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::optional<Metric> peer_matrix_of(const TextLineList& lines) {
  std::vector<double> with;
  std::vector<double> without;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (!contains(lines[at], "Unidirectional P2P=*Bandwidth*Matrix")) continue;
    std::vector<double>& into = contains(lines[at], "P2P=Enabled") ? with : without;
    if (into.empty()) into = off_diagonal(lines, at);
  }
  if (with.empty() || without.empty()) return std::nullopt;
  const double peers = middle(with);
  const double host = middle(without);
  if (peers <= 0 || host <= 0) return std::nullopt;
  Metric out;
  out.metric_class = "p2p";
  out.factor = host / peers;
  out.note =
      fmt::format("copies between GPUs: {:.3g} GB/s with peer access, {:.3g} GB/s without", peers, host);
  return out;
}

}  // namespace gpugauge::diagnose
