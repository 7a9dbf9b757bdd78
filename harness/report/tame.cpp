#include <array>

#include "report/digest.hpp"
#include "report/format.hpp"

namespace gpugauge::report {
namespace {

/// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069 turn the direction; U+2028, U+2029 end a line;
/// U+FFFE and U+FFFF are no characters, and XML forbids them.
constexpr std::array turning{"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa",
                             "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae",
                             "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9",
                             "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbf\xbe", "\xef\xbf\xbf"};

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string tame(std::string_view text, std::size_t most) {
  constexpr std::string_view gap = " ... ";
  std::string out = plain(text);
  for (const std::string_view mark : turning)
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at))
      out.replace(at, mark.size(), "?");
  if (out.size() <= most) return out;
  std::size_t front = (most - gap.size()) * 2 / 3;
  std::size_t back = out.size() - (most - gap.size() - front);
  while (front > 0 && continues(out[front])) --front;
  while (back < out.size() && continues(out[back])) ++back;
  return out.substr(0, front) + std::string(gap) + out.substr(back);
}

}  // namespace gpugauge::report
