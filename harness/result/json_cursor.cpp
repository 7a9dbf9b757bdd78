// Reads JSON values at a position in a text.
#include "result/json_cursor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "result/bytes.hpp"

namespace gpugauge::result {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}

const char* word_for(char first) {
  switch (first) {
    case '{':
      return "an object";
    case '[':
      return "an array";
    case '"':
      return "text";
    case 't':
    case 'f':
      return "true or false";
    case 'n':
      return "null";
    default:
      return "a number";
  }
}

}  // namespace

JsonCursor::JsonCursor(std::string_view text, std::string_view origin)
    : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), origin_(origin) {
  blanks();
  if (at_ == end_) refuse("the file is empty; it should hold a JSON object");
}

Place JsonCursor::place() const {
  Place out{std::string(origin_), ""};
  for (const Segment& segment : std::span(path_).first(depth_))
    out = segment.key.data() != nullptr ? out.key(std::string(segment.key)) : out.index(segment.index);
  return out;
}

void JsonCursor::refuse(const std::string& fault) const {
  place().refuse(fault);
}

void JsonCursor::syntax() const {
  const Place whole{std::string(origin_), ""};
  if (at_ == end_)
    whole.refuse(
        fmt::format("the JSON ends too early, after {} bytes: the file is truncated", end_ - begin_));
  whole.refuse(fmt::format("not JSON at byte {}", at_ - begin_ + 1));
}

void JsonCursor::mismatch(const char* wanted) {
  const char* found = word_for(peek());
  skip();  // reports input that is no JSON as such
  refuse(fmt::format("should be {} and is {}", wanted, found));
}

void JsonCursor::twice(std::string_view key) const {
  refuse(fmt::format("the key {} stands twice in one object", quoted(std::string(key))));
}

void JsonCursor::missing(std::string_view key) const {
  refuse(fmt::format("the key '{}' is missing", key));
}

void JsonCursor::skip_blanks() {
  // Most blanks are the indentation of a line.
  const char* at = at_;
  while (at != end_ && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) {
    ++at;
    for (std::ptrdiff_t spaces = bytes_at_once; spaces == bytes_at_once && end_ - at >= bytes_at_once;
         at += spaces)
      spaces = spaces_ahead(at);
  }
  at_ = at;
}

void JsonCursor::word(std::string_view letters) {
  for (const char letter : letters) {
    if (at_ == end_ || *at_ != letter) syntax();
    ++at_;
  }
}

bool JsonCursor::open(char bracket) {
  if (peek() != bracket) mismatch(bracket == '{' ? "an object" : "an array");
  ++at_;
  if (peek() != (bracket == '{' ? '}' : ']')) return true;
  ++at_;
  return false;
}

std::string JsonCursor::key() {
  if (peek() != '"') syntax();
  std::string scratch;
  std::string out(string(scratch));
  expect(':');
  return out;
}

std::size_t JsonCursor::key(const std::string_view* keys, std::size_t count) {
  if (peek() != '"') syntax();
  std::string scratch;
  const std::string_view found = string(scratch);
  expect(':');
  for (std::size_t i = 0; i < count; ++i)
    if (keys[i] == found) return i;
  refuse(fmt::format("the key {} is not part of this format", quoted(std::string(found))));
}

JsonCursor::Number JsonCursor::number_token() {
  const char* from = at_;
  const char* at = at_;
  const auto digits = [&] {
    const char* first = at;
    std::ptrdiff_t ahead = bytes_at_once;
    for (; ahead == bytes_at_once && end_ - at >= bytes_at_once; at += ahead) ahead = digits_ahead(at);
    if (ahead == bytes_at_once)
      while (at != end_ && digit(*at)) ++at;
    if (at == first) {
      at_ = at;
      syntax();
    }
    return static_cast<std::size_t>(at - first);
  };
  Number out;
  out.whole = true;
  if (at != end_ && *at == '-') ++at;
  if (at != end_ && *at == '0')
    ++at;
  else
    digits();
  if (at != end_ && *at == '.') {
    out.whole = false;
    ++at;
    digits();
  }
  if (at != end_ && (*at == 'e' || *at == 'E')) {
    out.whole = false;
    ++at;
    if (at != end_ && (*at == '+' || *at == '-')) ++at;
    out.exponent = digits();
  }
  out.digits = {from, static_cast<std::size_t>(at - from)};
  at_ = at;
  return out;
}

double JsonCursor::to_double(const Number& number) const {
  double value = 0;
  const auto [stop, error] =
      std::from_chars(number.digits.data(), number.digits.data() + number.digits.size(), value);
  if (error == std::errc() && stop == number.digits.data() + number.digits.size()) return value;
  // A value too small becomes 0 or nearly 0; one too large is refused.
  value = std::strtod(std::string(number.digits).c_str(), nullptr);
  if (!std::isfinite(value)) refuse("not JSON that can be read (a number is out of range)");
  return value;
}

double JsonCursor::number() {
  const char c = peek();
  if (c != '-' && !digit(c)) mismatch("a number");
  return to_double(number_token());
}

std::int64_t JsonCursor::integer() {
  const char c = peek();
  if (c != '-' && !digit(c)) mismatch("a number");
  const Number found = number_token();
  std::int64_t value = 0;
  const auto [stop, error] =
      std::from_chars(found.digits.data(), found.digits.data() + found.digits.size(), value);
  if (!found.whole || error != std::errc()) refuse("should be a whole number within 64 bits");
  return value;
}

std::uint64_t JsonCursor::unsigned_integer() {
  const char c = peek();
  if (c != '-' && !digit(c)) mismatch("a number");
  const Number found = number_token();
  std::uint64_t value = 0;
  const auto [stop, error] =
      std::from_chars(found.digits.data(), found.digits.data() + found.digits.size(), value);
  if (!found.whole || error != std::errc()) refuse("should be a whole number, 0 or more");
  return value;
}

void JsonCursor::read(int& out) {
  const std::int64_t value = integer();
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max())
    refuse("is out of range");
  out = static_cast<int>(value);
}

bool JsonCursor::boolean() {
  const char c = peek();
  if (c != 't' && c != 'f') mismatch("true or false");
  word(c == 't' ? "true" : "false");
  return c == 't';
}

std::string JsonCursor::text() {
  std::string out;
  read(out);
  return out;
}

void JsonCursor::read(std::string& out) {
  if (peek() != '"') mismatch("text");
  std::string scratch;
  out = string(scratch);
}

std::size_t JsonCursor::skip_numbers() {
  // Below 10^(99 + 200) for any digits: within the range of a double.
  constexpr std::size_t harmless_exponent = 2;
  constexpr std::size_t harmless_digits = 200;
  std::size_t count = 0;
  bool more = open('[');
  enter({{}, 0});
  for (; more; more = another(']')) {
    path_[depth_ - 1].index = count++;
    const char c = peek();
    if (c != '-' && !digit(c)) mismatch("a number");
    const Number found = number_token();
    if (found.exponent > harmless_exponent || found.digits.size() > harmless_digits) to_double(found);
  }
  --depth_;
  return count;
}

bool JsonCursor::to_member(std::string_view wanted) {
  for (bool more = open('{'); more; more = another('}')) {
    if (key() == wanted) return true;
    skip();
  }
  return false;
}

void JsonCursor::skip_string() {
  std::string scratch;
  string(scratch);
}

void JsonCursor::skip() {
  skip(1);
}

void JsonCursor::skip(int depth) {
  constexpr int depth_most = 64;
  if (depth > depth_most)
    Place{std::string(origin_), ""}.refuse(fmt::format("nested deeper than {} levels", depth_most));
  const char c = peek();
  if (c == '{' || c == '[') {
    for (bool more = open(c); more; more = another(c == '{' ? '}' : ']')) {
      if (c == '{') {
        if (peek() != '"') syntax();
        skip_string();
        expect(':');
      }
      skip(depth + 1);
    }
  } else if (c == '"') {
    skip_string();
  } else if (c == 't') {
    word("true");
  } else if (c == 'f') {
    word("false");
  } else if (c == 'n') {
    word("null");
  } else {
    number_token();
  }
}

void JsonCursor::end() {
  blanks();
  if (at_ != end_) syntax();
}

}  // namespace gpugauge::result
