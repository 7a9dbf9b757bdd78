#include "run/output_tail.hpp"

#include "result/error.hpp"

namespace gpugauge::run {
namespace {

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = result::character(bytes);
    if (length == 0 || (length == 1 && is_control(bytes[0]))) {
      text += "\xEF\xBF\xBD";
      bytes.remove_prefix(1);
    } else {
      text += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return text;
}

void OutputTail::append(std::string_view bytes) {
  if (bytes.size() >= limit_) {
    cut_ = cut_ || !bytes_.empty() || bytes.size() > limit_;
    bytes_.assign(bytes.substr(bytes.size() - limit_));
    return;
  }
  bytes_ += bytes;
  if (bytes_.size() > limit_) {
    bytes_.erase(0, bytes_.size() - limit_);
    cut_ = true;
  }
}

std::string OutputTail::text() const {
  std::string_view kept = bytes_;
  for (int i = 0; cut_ && i < 3 && !kept.empty() && continues(kept.front()); ++i) kept.remove_prefix(1);
  std::string text = to_valid_utf8(kept);
  if (text.size() > limit_) {  // replacements are longer than the bytes they replace
    std::size_t start = text.size() - limit_;
    while (start < text.size() && continues(text[start])) ++start;
    text.erase(0, start);
  }
  return text;
}

std::string last_line(const std::string& text) {
  constexpr std::size_t longest = 300;
  const auto end = text.find_last_not_of(" \t\n");
  if (end == std::string::npos) return {};
  const auto newline = text.rfind('\n', end);
  const auto start = text.find_first_not_of(" \t\n", newline == std::string::npos ? 0 : newline);
  std::string line = text.substr(start, end + 1 - start);
  if (line.size() <= longest) return line;
  std::size_t cut = longest;
  while (cut > 0 && continues(line[cut])) --cut;
  return line.substr(0, cut) + "...";
}

}  // namespace gpugauge::run
