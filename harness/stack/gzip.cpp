#include "stack/gzip.hpp"

#include <array>

#ifdef GPUGAUGE_ZLIB
#include <zlib.h>
#endif

namespace gpugauge::stack {

#ifdef GPUGAUGE_ZLIB

bool can_unpack() {
  return true;
}

std::optional<std::string> unpacked(std::string_view packed, std::size_t limit) {
  constexpr std::size_t most = std::size_t{64} << 20;  // a small file may unpack to any size
  constexpr int gzip_only = 16 + MAX_WBITS;
  z_stream stream{};
  if (packed.substr(0, 2) != "\x1f\x8b" || inflateInit2(&stream, gzip_only) != Z_OK) return std::nullopt;
  // zlib does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 65536> room;
  std::size_t all = 0;
  int state = Z_OK;
  while (state == Z_OK && all < most) {
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = room.size() - stream.avail_out;
    if (got == 0) break;
    all += got;
    text.append(room.data(), got);
    if (text.size() > 2 * limit) text.erase(0, text.size() - limit);
  }
  inflateEnd(&stream);
  if (text.size() > limit) text.erase(0, text.size() - limit);
  return text;
}

#else

bool can_unpack() {
  return false;
}

std::optional<std::string> unpacked(std::string_view, std::size_t) {
  return std::nullopt;
}

#endif

}  // namespace gpugauge::stack
