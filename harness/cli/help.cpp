#include "cli/help.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "report/table.hpp"
#include "report/terminal.hpp"

namespace gpugauge::cli {
namespace {

class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return beside_names(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    // Two columns; a long name has its line to itself. CLI11's own function for this has left its later versions.
    const std::size_t column = get_column_width();
    const std::string name = "  " + command->get_display_name(true);
    const std::string description = beside_names(command->get_description());
    if (description.empty()) return name + "\n";
    const std::string indent(column, ' ');
    std::string out = name.size() < column ? name + indent.substr(name.size()) : name + "\n" + indent;
    for (const char letter : description) {
      out += letter;
      if (letter == '\n') out += indent;
    }
    return out + "\n";
  }
  std::string make_description(const CLI::App* command) const override {
    return lines(CLI::Formatter::make_description(command), width());
  }
  std::string make_footer(const CLI::App* command) const override {
    return lines(CLI::Formatter::make_footer(command), width());
  }

 private:
  /// Columns; as many as there may be where nothing says how many there are.
  static int width() {
    const report::Terminal terminal = report::terminal(1);
    return terminal.measured ? terminal.width : std::numeric_limits<int>::max();
  }

  /// What stands right of the names of options and commands; CLI11 puts each further line below.
  std::string beside_names(const std::string& text) const {
    constexpr int narrowest = 20;
    return lines(text, std::max(width() - static_cast<int>(get_column_width()), narrowest));
  }

  /// Lines that fit stay as they are, with the blanks that align them.
  static std::string lines(const std::string& text, int width) {
    std::istringstream parts(text);
    std::string out;
    for (std::string part; std::getline(parts, part);) {
      if (!out.empty()) out += "\n";
      out +=
          report::display_width(part) <= static_cast<std::size_t>(width) ? part : report::wrap(part, width);
    }
    return text.ends_with('\n') ? out + "\n" : out;
  }
};

}  // namespace

std::shared_ptr<CLI::Formatter> wrapped_help() {
  return std::make_shared<WrappedHelp>();
}

}  // namespace gpugauge::cli
