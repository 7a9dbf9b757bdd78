#include <string>

#include "report/digest.hpp"
#include "result/error.hpp"

namespace gpugauge::report {

std::string tame(std::string_view text, std::size_t most) {
  std::string whole = result::one_line(text);
  if (whole.size() <= most) return whole;
  constexpr std::string_view more = " ...";
  if (most > more.size()) {
    const std::size_t end = whole.rfind(". ", most - more.size() - 1);
    // A sentence that ends early says too little, as the text's end may matter.
    if (end != std::string::npos && end >= most / 2) return whole.substr(0, end + 1) + std::string(more);
  }
  return result::one_line(whole, most);
}

}  // namespace gpugauge::report
