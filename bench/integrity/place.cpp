#include "integrity/place.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace gpugauge::bench::integrity {

void TileFaults::add(const std::vector<std::uint64_t>& reference, const std::vector<std::uint64_t>& sums,
                     const std::vector<std::uint32_t>& sms) {
  if (reference.size() != sums.size() || sums.size() != sms.size())
    throw std::logic_error("tile sums of different numbers of tiles");
  for (std::size_t tile = 0; tile < sums.size(); ++tile) {
    if (sums[tile] == reference[tile]) continue;
    ++count_;
    ++by_sm_[sms[tile]];
    ++by_tile_[tile];
  }
}

std::string TileFaults::sentence(std::size_t most) const {
  if (count_ == 0) return "";
  std::vector<std::pair<std::uint32_t, std::size_t>> order(by_sm_.begin(), by_sm_.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string sms;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    sms += fmt::format("{}SM {} ({})", sms.empty() ? "" : ", ", order[i].first, order[i].second);
  if (order.size() > most) sms += fmt::format(" and {} more", order.size() - most);
  const std::string many = fmt::format("{} {}{} differ{}; made by {}", count_, noun_, count_ == 1 ? "" : "s",
                                       count_ == 1 ? "s" : "", sms);
  if (across_ == 0) return fmt::format("{}; the first is number {}", many, by_tile_.begin()->first);
  const auto tile = static_cast<int>(by_tile_.begin()->first);
  const int row = tile / across_ * edge_;
  const int column = tile % across_ * edge_;
  return fmt::format("{}; the first at rows {}-{}, columns {}-{}", many, row, row + edge_ - 1, column,
                     column + edge_ - 1);
}

std::string sentence_of(const kernels::integrity::Faults& faults) {
  if (faults.count == 0) return "";
  std::string sms;
  for (int sm = 0; sm < kernels::integrity::most_sms; ++sm)
    if ((faults.sms[sm / 32] >> (sm % 32) & 1U) != 0) sms += fmt::format("{}{}", sms.empty() ? "" : ", ", sm);
  return fmt::format("{} word{} differ{}, bytes {:#x}-{:#x} of the buffer, bits {:#x}, read by SM {}",
                     faults.count, faults.count == 1 ? "" : "s", faults.count == 1 ? "s" : "",
                     faults.first * 8, faults.last * 8 + 7, faults.bits, sms.empty() ? "unknown" : sms);
}

}  // namespace gpugauge::bench::integrity
