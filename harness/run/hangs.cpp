#include "run/hangs.hpp"

#include <fmt/format.h>

namespace gpugauge::run {
namespace {

/// One timeout may be an accident; a second one predicts the others.
constexpr int most_of_a_family = 2;
constexpr int most_in_a_row = 3;

}  // namespace

void Hangs::ended(const std::string& family, bool timed_out) {
  in_a_row_ = timed_out ? in_a_row_ + 1 : 0;
  if (timed_out) ++of_family_[family];
}

std::string Hangs::why_not(const std::string& family) const {
  if (in_a_row_ >= most_in_a_row)
    return fmt::format("not started: {} processes in a row ran past their {} s.", in_a_row_, limit_seconds_);
  const auto found = of_family_.find(family);
  if (found == of_family_.end() || found->second < most_of_a_family) return "";
  return fmt::format("not started: {} processes of this family ran past their {} s.", found->second,
                     limit_seconds_);
}

}  // namespace gpugauge::run
