#include "result/shell_word.hpp"

namespace gpugauge::result {

std::string shell_word(const std::string& text) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:=@%,";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char one : text) out += one == '\'' ? "'\\''" : std::string(1, one);
  return out + "'";
}

}  // namespace gpugauge::result
