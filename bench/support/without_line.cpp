#include "support/without_line.hpp"

#include <utility>

namespace gpugauge::bench {

WithoutLine::WithoutLine(std::ostream& stream, std::string line)
    : stream_(stream), behind_(stream.rdbuf(this)), line_(std::move(line)) {}

WithoutLine::~WithoutLine() {
  pass();
  stream_.rdbuf(behind_);
}

void WithoutLine::pass() {
  if (begun_.empty()) return;
  behind_->sputn(begun_.data(), static_cast<std::streamsize>(begun_.size()));
  begun_.clear();
  fresh_ = false;
}

WithoutLine::int_type WithoutLine::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const char letter = traits_type::to_char_type(character);
  if (letter != '\n') {
    begun_ += letter;
    return character;
  }
  const bool left_out = fresh_ && begun_ == line_;
  if (left_out) {
    begun_.clear();
  } else {
    begun_ += letter;
    pass();
  }
  fresh_ = true;
  return character;
}

int WithoutLine::sync() {
  if (!(fresh_ && line_.starts_with(begun_))) pass();
  return behind_->pubsync();
}

}  // namespace gpugauge::bench
