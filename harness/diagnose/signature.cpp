#include "diagnose/signature.hpp"

#include <algorithm>

namespace gpugauge::diagnose {

bool Argument::confirms(double weight, const Fact& fact) {
  if (!fact) return false;
  const auto same = std::find_if(evidence_.begin(), evidence_.end(),
                                 [&](const Evidence& other) { return other.text == *fact; });
  if (same == evidence_.end())
    evidence_.push_back({weight, *fact, fact.recovers});
  else
    same->weight = std::max(same->weight, weight);
  return true;
}

void Argument::Bound::lower(double to, const Fact& fact) {
  if (!fact || to >= most) return;
  most = to;
  why = *fact;
}

void Argument::at_most(double most, const Fact& fact) {
  against_.lower(most, fact);
}

void Argument::unproven(double most, const Fact& fact) {
  open_.lower(most, fact);
}

const std::string& Argument::why_unproven(double least) const {
  static const std::string none;
  const bool excluded = !against_.why.empty() && (against_.most < least || against_.most <= open_.most);
  return excluded ? none : open_.why;
}

}  // namespace gpugauge::diagnose
