#include "diagnose/version_in.hpp"

namespace gpugauge::diagnose {

std::optional<stack::Version> first_version_in(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  for (std::size_t at = text.find_first_of(digits); at != std::string_view::npos;
       at = text.find_first_of(digits, text.find_first_not_of(digits, at)))
    if (auto version = stack::Version::parse(text.substr(at)); version && version->size() > 1) return version;
  return std::nullopt;
}

}  // namespace gpugauge::diagnose
