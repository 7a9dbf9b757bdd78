#include "stack/visible_devices.hpp"

#include <algorithm>

#include "result/number.hpp"
#include "result/text.hpp"

namespace gpugauge::stack {
namespace {

enum class Names { a_gpu, nothing, unknown };

Names named_by_index(std::string_view word, std::optional<double> gpus) {
  if (!gpus) return Names::unknown;
  const auto index = result::number_in<double>(word);
  return index && *index < *gpus ? Names::a_gpu : Names::nothing;
}

bool all_known(const std::vector<std::string>& uuids) {
  return !uuids.empty() &&
         std::none_of(uuids.begin(), uuids.end(), [](const auto& uuid) { return uuid.empty(); });
}

Names named_by_uuid(std::string_view word, const std::vector<std::string>& uuids) {
  // A beginning is enough if it fits only one GPU's UUID.
  const auto fits =
      std::count_if(uuids.begin(), uuids.end(), [&](const auto& uuid) { return uuid.starts_with(word); });
  if (fits > 0) return fits == 1 ? Names::a_gpu : Names::unknown;
  return all_known(uuids) ? Names::nothing : Names::unknown;
}

/// For a redacted inventory, in which a beginning has the whole UUID's placeholder.
Names named_by_placeholder(std::string_view word, const std::vector<std::string>& uuids) {
  if (std::find(uuids.begin(), uuids.end(), word) != uuids.end()) return Names::a_gpu;
  return all_known(uuids) ? Names::nothing : Names::unknown;
}

Names named_by_word(std::string_view word, std::optional<double> gpus,
                    const std::vector<std::string>& uuids) {
  if (word.empty() || word == "-1" || word == "NoDevFiles") return Names::nothing;
  if (word.find_first_not_of("0123456789") == std::string_view::npos) return named_by_index(word, gpus);
  if (word.starts_with("gpu-uuid-")) return named_by_placeholder(word, uuids);
  return word.starts_with("GPU-") ? named_by_uuid(word, uuids) : Names::unknown;
}

}  // namespace

VisibleDevices visible_devices(std::string_view value, std::optional<double> gpus,
                               const std::vector<std::string>& uuids) {
  VisibleDevices out;
  std::vector<std::string_view> seen;
  while (true) {
    const std::size_t comma = value.find(',');
    const std::string_view word = result::stripped(value.substr(0, comma), " \t");
    const bool twice = std::find(seen.begin(), seen.end(), word) != seen.end();
    const Names names = named_by_word(word, gpus, uuids);
    if (names == Names::nothing) {
      out.stop = std::string(word);
      return out;
    }
    if (twice || names == Names::unknown) {
      out.unknown = std::string(word);
      return out;
    }
    ++out.named;
    if (comma == std::string_view::npos) return out;
    seen.push_back(word);
    value.remove_prefix(comma + 1);
  }
}

}  // namespace gpugauge::stack
