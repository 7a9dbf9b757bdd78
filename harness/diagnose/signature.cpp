#include "diagnose/signature.hpp"

#include <algorithm>

namespace gpugauge::diagnose {

bool Argument::confirms(double weight, const Fact& fact) {
  if (!fact) return false;
  const auto same = std::find_if(evidence_.begin(), evidence_.end(),
                                 [&](const Evidence& other) { return other.text == *fact; });
  if (same == evidence_.end())
    evidence_.push_back({weight, *fact});
  else
    same->weight = std::max(same->weight, weight);
  return true;
}

void Argument::at_most(double most, const Fact& fact) {
  if (!fact || most >= most_) return;
  most_ = most;
  why_not_ = *fact;
}

}  // namespace gpugauge::diagnose
