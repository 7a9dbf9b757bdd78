// What an upgrade changed, in sentences.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stack/plan/change.hpp"

namespace gpugauge::stack {

std::string settings_sentence(const StackChange& change) {
  const std::vector<Difference>& settings = change.settings;
  if (settings.empty()) return "";
  constexpr std::size_t most = 6;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, settings.size()); ++i)
    texts.push_back(fmt::format("{} {} -> {}", settings[i].key, settings[i].left, settings[i].right));
  const std::size_t more = settings.size() - texts.size();
  return fmt::format("Settings that differ from before, and may be a cause: {}{}.", fmt::join(texts, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

std::vector<std::string> sentences(const StackChange& change) {
  using State = LayerChange::State;
  std::vector<std::string> out;
  for (const LayerChange& layer : change.layers)
    out.push_back((layer.state == State::unchanged ? "Not changed: "
                   : layer.state == State::back    ? "As before: "
                                                   : "Changed: ") +
                  layer.sentence);
  if (std::string settings = settings_sentence(change); !settings.empty()) out.push_back(std::move(settings));
  return out;
}

}  // namespace gpugauge::stack
