#include "integrity/place.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace gpugauge::bench::integrity {

namespace {

std::size_t sum_of(const TileFaults::BySm& by_sm) {
  std::size_t sum = 0;
  for (const auto& [sm, times] : by_sm) sum += times;
  return sum;
}

}  // namespace

void TileFaults::begin(std::vector<std::uint64_t> sums, std::vector<std::uint32_t> sms) {
  if (sums.size() != sms.size()) throw std::logic_error("tile sums of different numbers of tiles");
  first_sums_ = std::move(sums);
  first_sms_ = std::move(sms);
  runs_ = 1;
  differing_.clear();
}

void TileFaults::add(const std::vector<std::uint64_t>& sums, const std::vector<std::uint32_t>& sms) {
  if (first_sums_.size() != sums.size() || sums.size() != sms.size())
    throw std::logic_error("tile sums of different numbers of tiles");
  ++runs_;
  for (std::size_t tile = 0; tile < sums.size(); ++tile) {
    if (sums[tile] == first_sums_[tile]) continue;
    Differing& here = differing_[tile];
    const bool known = here.by_sum.count(sums[tile]) > 0 || here.by_sum.size() < most_sums;
    ++(known ? here.by_sum[sums[tile]] : here.others)[sms[tile]];
  }
}

void TileFaults::Wrong::add(std::size_t tile, std::uint32_t sm, std::size_t times) {
  if (by_sm.empty()) first_tile = tile;
  by_sm[sm] += times;
}

std::size_t TileFaults::Wrong::count() const {
  return sum_of(by_sm);
}

TileFaults::Found TileFaults::found() const {
  Found found;
  for (const auto& [tile, here] : differing_) {
    const auto right = std::find_if(here.by_sum.begin(), here.by_sum.end(),
                                    [&](const auto& one) { return 2 * sum_of(one.second) > runs_; });
    if (right != here.by_sum.end()) found.first_run.add(tile, first_sms_[tile], 1);
    for (auto one = here.by_sum.begin(); one != here.by_sum.end(); ++one)
      if (one != right)
        for (const auto& [sm, times] : one->second) found.repeats.add(tile, sm, times);
    for (const auto& [sm, times] : here.others) found.repeats.add(tile, sm, times);
  }
  return found;
}

std::size_t TileFaults::count() const {
  const Found all = found();
  return all.first_run.count() + all.repeats.count();
}

std::string TileFaults::sentence(const Wrong& wrong, std::size_t most, const char* of,
                                 const char* from) const {
  std::vector<std::pair<std::uint32_t, std::size_t>> order(wrong.by_sm.begin(), wrong.by_sm.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string sms;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
    sms += fmt::format("{}SM {} ({})", sms.empty() ? "" : ", ", order[i].first, order[i].second);
  if (order.size() > most) sms += fmt::format(" and {} more", order.size() - most);
  const std::size_t count = wrong.count();
  const std::string many = fmt::format("{} {}{}{} differ{}{}; made by {}", count, noun_,
                                       count == 1 ? "" : "s", of, count == 1 ? "s" : "", from, sms);
  if (across_ == 0) return fmt::format("{}; the first is number {}", many, wrong.first_tile);
  const auto tile = static_cast<int>(wrong.first_tile);
  const int row = tile / across_ * edge_;
  const int column = tile % across_ * edge_;
  return fmt::format("{}; the first at rows {}-{}, columns {}-{}", many, row, row + edge_ - 1, column,
                     column + edge_ - 1);
}

std::string TileFaults::sentence(std::size_t most) const {
  const Found all = found();
  std::string out;
  if (all.first_run.count() > 0)
    out = sentence(all.first_run, most, " of the first run", " from the repeats, which agree");
  if (all.repeats.count() > 0) out += (out.empty() ? "" : "; ") + sentence(all.repeats, most, "", "");
  return out;
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
