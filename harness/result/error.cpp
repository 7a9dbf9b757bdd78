#include "result/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gpugauge::result {
namespace {

char32_t code_point(std::string_view sequence) {
  constexpr std::array<unsigned char, 5> bits_of_first{0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t out = static_cast<unsigned char>(sequence[0]) & bits_of_first[sequence.size()];
  for (const char c : sequence.substr(1)) out = out << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  return out;
}

/// First and last code point of each range that control() covers.
constexpr std::array<std::pair<char32_t, char32_t>, 12> controls{{{0x00, 0x1f},
                                                                  {0x7f, 0x9f},
                                                                  {0xad, 0xad},
                                                                  {0x061c, 0x061c},
                                                                  {0x200b, 0x200b},
                                                                  {0x200e, 0x200f},
                                                                  {0x2028, 0x202e},
                                                                  {0x2060, 0x206f},
                                                                  {0xfeff, 0xfeff},
                                                                  {0xfff9, 0xfffb},
                                                                  // Noncharacters: XML forbids them.
                                                                  {0xfffe, 0xffff},
                                                                  {0xe0000, 0xe007f}}};

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool beyond = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return overlong || beyond ? 0 : length;
}

std::size_t control(std::string_view text) {
  if (text.empty() || (text[0] >= ' ' && text[0] <= '~')) return 0;
  const std::size_t length = character(text);
  if (length == 0) return 0;
  const char32_t found = code_point(text.substr(0, length));
  const bool any = std::any_of(controls.begin(), controls.end(), [&](const auto& range) {
    return found >= range.first && found <= range.second;
  });
  return any ? length : 0;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character(text);
    if (length == 0 || control(text) > 0)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  if (out.size() <= most) return out;
  constexpr std::string_view gap = " ... ";
  std::size_t front = (most - gap.size()) * 2 / 3;
  std::size_t back = out.size() - (most - gap.size() - front);
  while (front > 0 && (continues(out[front]) || out[front - 1] == ' ')) --front;
  while (back < out.size() && (continues(out[back]) || out[back] == ' ')) ++back;
  return out.substr(0, front) + std::string(gap) + out.substr(back);
}

std::string shortened(std::string_view text) {
  constexpr std::size_t most = 80;
  constexpr std::size_t bytes_of_one = 4;
  // A sequence cut off at the end lies beyond the part that is kept.
  std::string out = one_line(text.substr(0, (most + 1) * bytes_of_one));
  std::size_t characters = 0;
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (continues(out[at]) || ++characters <= most) continue;
    return out.substr(0, at) + "...";
  }
  return out;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param)
std::string quoted(std::string text) {
  return "'" + shortened(text) + "'";
}

}  // namespace gpugauge::result
