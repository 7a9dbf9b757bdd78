#include "stack/compat/version.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/text.hpp"

namespace gpugauge::stack {
namespace {

constexpr int driver_major_least = 300;  // library and toolkit versions are lower so far

std::string three(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  constexpr std::size_t digits_most = 9;  // fits an int
  if (text.starts_with('v') || text.starts_with('R')) text.remove_prefix(1);
  std::vector<int> parts;
  std::size_t at = 0;
  while (at < text.size() && result::is_digit(text[at])) {
    int part = 0;
    std::size_t digits = 0;
    for (; at < text.size() && result::is_digit(text[at]); ++at) {
      if (++digits > digits_most) return std::nullopt;
      part = part * 10 + (text[at] - '0');
    }
    parts.push_back(part);
    if (at >= text.size() || text[at] != '.') break;
    ++at;
  }
  if (parts.empty()) return std::nullopt;
  return Version(std::move(parts));
}

Version Version::first(std::size_t count) const {
  const std::size_t taken = std::min(count, parts_.size());
  return Version(std::vector<int>(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(taken)));
}

bool Version::covers(const Version& other) const {
  return std::equal(parts_.begin(),
                    parts_.begin() + static_cast<std::ptrdiff_t>(std::min(size(), other.size())),
                    other.parts_.begin());
}

std::string Version::text() const {
  std::string text;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (i > 0) text += '.';
    const bool two_digits = i > 0 && major() >= driver_major_least;
    text += two_digits ? fmt::format("{:02}", parts_[i]) : std::to_string(parts_[i]);
  }
  return text;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  for (std::size_t i = 0; i < std::max(size(), other.size()); ++i)
    if (const auto order = part(i) <=> other.part(i); std::is_neq(order)) return order;
  return std::strong_ordering::equal;
}

std::string cuda_version_of(int number) {
  if (number < 1000 || number >= 100000 || number % 10 != 0) return "";
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string cudnn_version_of(int number) {
  if (number >= 90000 && number < 1000000) return three(number / 10000, number % 10000 / 100, number % 100);
  if (number >= 1000 && number < 9000) return three(number / 1000, number % 1000 / 100, number % 100);
  return "";
}

std::string nccl_version_of(int number) {
  if (number >= 20900 && number < 1000000) return three(number / 10000, number % 10000 / 100, number % 100);
  if (number >= 1000 && number < 2900) return three(number / 1000, number % 1000 / 100, number % 100);
  return "";
}

}  // namespace gpugauge::stack
