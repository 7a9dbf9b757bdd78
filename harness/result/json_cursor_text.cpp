// Parses JSON strings: escapes and UTF-8.
#include "result/bytes.hpp"
#include "result/json_cursor.hpp"

namespace gpugauge::result {

void JsonCursor::utf8() {
  const auto byte = [&](std::ptrdiff_t i) -> unsigned {
    return i < end_ - at_ ? static_cast<unsigned char>(at_[i]) : 0U;
  };
  const unsigned first = byte(0);
  const auto follows = [&](std::ptrdiff_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  std::ptrdiff_t length = 0;  // RFC 3629, table 3-7 of the Unicode standard
  if (first >= 0xC2 && first <= 0xDF && follows(1)) length = 2;
  if (first >= 0xE0 && first <= 0xEF && follows(2) &&
      follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF))
    length = 3;
  if (first >= 0xF0 && first <= 0xF4 && follows(2) && follows(3) &&
      follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF))
    length = 4;
  if (length == 0) syntax();
  at_ += length;
}

std::uint32_t JsonCursor::hex4() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    if (at_ == end_) syntax();
    const char c = *at_;
    const int nibble = c >= '0' && c <= '9'   ? c - '0'
                       : c >= 'a' && c <= 'f' ? c - 'a' + 10
                       : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : -1;
    if (nibble < 0) syntax();
    value = value * 16 + static_cast<std::uint32_t>(nibble);
    ++at_;
  }
  return value;
}

void JsonCursor::escape(std::string& out) {
  ++at_;
  if (at_ == end_) syntax();
  constexpr std::string_view from = "\"\\/bfnrt";
  constexpr std::string_view to = "\"\\/\b\f\n\r\t";
  if (const auto simple = from.find(*at_); simple != std::string_view::npos) {
    out += to[simple];
    ++at_;
    return;
  }
  if (*at_ != 'u') syntax();
  ++at_;
  std::uint32_t code = hex4();
  if (code >= 0xDC00 && code <= 0xDFFF) syntax();
  if (code >= 0xD800 && code <= 0xDBFF) {
    word("\\u");
    const std::uint32_t low = hex4();
    if (low < 0xDC00 || low > 0xDFFF) syntax();
    code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
  }
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6U);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12U);
    } else {
      put(0xF0 | code >> 18U);
      put(0x80 | (code >> 12U & 0x3FU));
    }
    put(0x80 | (code >> 6U & 0x3FU));
  }
  put(0x80 | (code & 0x3FU));
}

std::string_view JsonCursor::string(std::string& scratch) {
  ++at_;
  const char* from = at_;
  bool copied = false;
  while (true) {
    for (std::ptrdiff_t plain = bytes_at_once; plain == bytes_at_once && end_ - at_ >= bytes_at_once;
         at_ += plain)
      plain = plain_ahead(at_);
    if (at_ == end_) syntax();
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') break;
    if (c < 0x20) syntax();
    if (c == '\\') {
      scratch.append(from, at_);
      copied = true;
      escape(scratch);
      from = at_;
    } else if (c >= 0x80) {
      utf8();
    } else {
      ++at_;
    }
  }
  const char* to = at_++;
  if (!copied) return {from, static_cast<std::size_t>(to - from)};
  scratch.append(from, to);
  return scratch;
}

}  // namespace gpugauge::result
