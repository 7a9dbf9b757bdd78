#include "report/upgrade.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/statistics.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace gpugauge::report {
namespace {

using State = stack::LayerChange::State;

Tone tone(State state) {
  switch (state) {
    case State::reached:
      return Tone::good;
    case State::unchanged:
    case State::partly:
    case State::other:
      return Tone::bad;
    case State::unplanned:
    case State::changed:
      return Tone::doubt;
    case State::followed:
    case State::back:
      break;
  }
  return Tone::normal;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : plain(text);
}

std::string named(const std::vector<stack::StackPackage>& packages) {
  std::vector<std::string> texts;
  texts.reserve(packages.size());
  for (const stack::StackPackage& package : packages)
    texts.push_back(fmt::format("{} {}{}", package.name, package.version, package.held ? " (held)" : ""));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string draw(const stack::StackChange& change, const Terminal& terminal) {
  std::string out;
  Table table({{"layer"}, {"before", false, true}, {"now", false, true}, {"planned"}, {"state"}});
  for (const stack::LayerChange& layer : change.layers)
    table.add({{layer.layer, Tone::strong},
               {or_dash(layer.from)},
               {or_dash(layer.to)},
               {or_dash(layer.planned)},
               {to_string(layer.state), tone(layer.state)}});
  if (!table.empty()) out += table.draw(terminal);
  for (const stack::LayerChange& layer : change.layers)
    // Do not repeat what the row already says.
    if (layer.state != State::reached && layer.state != State::changed && layer.state != State::unchanged &&
        layer.state != State::back)
      out += "  " + terminal.paint(wrap(plain(layer.sentence), terminal.width, 4), tone(layer.state)) + "\n";
  if (!change.changed()) out += "  Nothing of the stack differs from what `upgrade begin` recorded.\n";
  if (const std::string settings = stack::settings_sentence(change); !settings.empty())
    out += "  " + wrap(plain(settings), terminal.width, 4) + "\n";
  return out;
}

std::string draw(const std::vector<stack::Advice>& advice, const std::string& title,
                 const Terminal& terminal) {
  if (advice.empty()) return "";
  std::string out = terminal.paint(title, Tone::strong) + "\n";
  int number = 0;
  for (const stack::Advice& one : advice) {
    out += fmt::format("  {}. {}\n     {}\n", ++number, wrap(plain(one.what), terminal.width, 5),
                       terminal.paint(wrap(plain(one.why), terminal.width, 5), Tone::faint));
    for (const std::string& command : one.commands) out += fmt::format("       {}\n", plain(command));
  }
  return out;
}

std::string draw_packages(const stack::Inventory& inventory, const Terminal& terminal) {
  std::string out;
  const auto line = [&](const std::string& head, const std::vector<stack::StackPackage>& packages) {
    out += wrap_behind("  " + terminal.paint(head, Tone::strong) + "  ", plain(named(packages)),
                       terminal.width, 4) +
           "\n";
  };
  std::map<std::string, std::vector<stack::StackPackage>> layers;
  for (stack::StackPackage& package : stack::system_packages(inventory))
    layers[package.layer].push_back(std::move(package));
  for (const auto& [layer, packages] : layers)
    line(fmt::format("{} {}", to_string(stack::system_manager(inventory)), layer), packages);
  if (const auto wheels = stack::python_packages(inventory); !wheels.empty()) line("pip", wheels);
  if (inventory.unreadable("packages.database") && layers.empty())
    out += "  " +
           wrap("rpm's database was not asked, so that its packages are not among what was recorded.",
                terminal.width, 4) +
           "\n";
  return out.empty() ? "  no package of the GPU stack is installed by a package manager that was read\n"
                     : out;
}

std::string draw_by_class(const std::vector<judge::Sensitivity>& rows, const Terminal& terminal) {
  std::map<std::string, std::vector<double>> classes;
  for (const judge::Sensitivity& row : rows) classes[row.metric_class].push_back(row.minimum_detectable_drop);
  Table table({{"class"}, {"metrics", true}, {"detects, median", true}, {"best", true}, {"worst", true}});
  for (auto& [name, drops] : classes)
    table.add({{name, Tone::strong},
               {std::to_string(drops.size())},
               {detectable(judge::median(drops))},
               {detectable(*std::min_element(drops.begin(), drops.end()))},
               {detectable(*std::max_element(drops.begin(), drops.end()))}});
  return table.empty() ? "" : table.draw(terminal);
}

}  // namespace gpugauge::report
