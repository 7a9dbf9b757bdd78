// Reads apt's pins and configuration.
#include <algorithm>

#include <fmt/format.h>
#include <fnmatch.h>

#include "result/number.hpp"
#include "stack/compat/tables.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/packages.hpp"

namespace gpugauge::stack {
namespace {

/// True for the forms of names that apt reads in its folders.
bool is_read_by_apt(const std::string& name, std::string_view extension) {
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
  return plain && (name.find('.') == std::string::npos || name.ends_with(extension));
}

/// Files of a folder and the single file beside it, in apt's reading order.
std::vector<std::string> files_of(const Tree& tree, const std::string& folder, const std::string& single,
                                  std::string_view extension) {
  std::vector<std::string> files;
  for (const std::string& name : tree.list(folder)) {
    if (is_read_by_apt(name, extension)) files.push_back(fmt::format("{}/{}", folder, name));
  }
  files.push_back(single);
  return files;
}

/// Splits apt's configuration into words, quoted texts and "{};"; "" at the end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  bool next() {
    skip_blanks_and_comments();
    if (text_.empty()) return false;
    quoted_ = text_.front() == '"';
    if (quoted_) {
      const auto end = std::min(text_.find('"', 1), text_.size());
      token_ = text_.substr(1, end - 1);
      text_.remove_prefix(std::min(end + 1, text_.size()));
    } else {
      const bool mark = std::string_view("{};").find(text_.front()) != std::string_view::npos;
      const auto end = mark ? 1 : std::min(text_.find_first_of(" \t\r\n{};\""), text_.size());
      token_ = text_.substr(0, end);
      text_.remove_prefix(end);
    }
    return true;
  }
  std::string_view token() const { return token_; }
  bool quoted() const { return quoted_; }
  bool is(std::string_view mark) const { return !quoted_ && token_ == mark; }

 private:
  void skip_blanks_and_comments() {
    while (!text_.empty()) {
      std::size_t skip = std::min(text_.find_first_not_of(" \t\r\n"), text_.size());
      if (skip == 0 && text_.starts_with("/*")) {
        const auto end = text_.find("*/", 2);
        skip = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (skip == 0 && (text_.starts_with("//") || text_.front() == '#')) {
        skip = std::min(text_.find('\n'), text_.size());
      }
      if (skip == 0) return;
      text_.remove_prefix(skip);
    }
  }

  std::string_view text_;
  std::string_view token_;
  bool quoted_ = false;
};

/// True if NVIDIA made a release that continues this number: 575.64.03 after 575.64.
bool goes_on(const Version& release) {
  const auto& rows = tables().gpu_listings;
  return std::any_of(rows.begin(), rows.end(), [&](const GpuListing& row) {
    return std::any_of(row.listed.begin(), row.listed.end(), [&](const Version& listed) {
      return listed.size() > release.size() && release.covers(listed);
    });
  });
}

std::string without_colons(std::string key) {
  while (key.ends_with(':')) key.pop_back();
  return key;
}

}  // namespace

std::vector<AptSetting> parse_apt_configuration(std::string_view text, const std::string& source) {
  constexpr std::size_t depth_most = 32;
  constexpr std::size_t key_longest = 256;  // each value repeats the names of all enclosing scopes
  constexpr std::size_t settings_most = 20000;
  std::vector<AptSetting> settings;
  std::vector<std::string> scopes{""};  // each with a trailing "::"
  std::string name;
  for (Tokens tokens(text); tokens.next();) {
    if (tokens.is("{")) {
      const bool named_so = scopes.back().size() + name.size() <= key_longest;
      if (scopes.size() > depth_most || !named_so) return settings;  // no real configuration nests this deep
      scopes.push_back(fmt::format("{}{}::", scopes.back(), without_colons(name)));
      name.clear();
    } else if (tokens.is("}")) {
      if (scopes.size() > 1) scopes.pop_back();
      name.clear();
    } else if (tokens.is(";")) {
      name.clear();
    } else if (tokens.quoted()) {
      if (settings.size() >= settings_most) return settings;
      if (scopes.back().size() + name.size() > key_longest) continue;
      settings.push_back({lower(without_colons(scopes.back() + name)), std::string(tokens.token()), source});
    } else {
      name = tokens.token();
    }
  }
  return settings;
}

std::vector<AptSetting> read_apt_configuration(const Tree& tree) {
  std::vector<AptSetting> settings;
  for (const std::string& file : files_of(tree, "/etc/apt/apt.conf.d", "/etc/apt/apt.conf", ".conf")) {
    for (AptSetting& setting : parse_apt_configuration(tree.read(file).text, file))
      settings.push_back(std::move(setting));
  }
  return settings;
}

std::vector<Pin> read_pins(const Tree& tree) {
  std::vector<Pin> pins;
  for (const std::string& file : files_of(tree, "/etc/apt/preferences.d", "/etc/apt/preferences", ".pref")) {
    std::string packages;
    std::string version;
    int priority = 0;
    const auto close = [&] {
      if (!version.empty()) {
        for (const std::string_view package : words_of(packages))
          pins.push_back({std::string(package), priority, file, version});
      }
      packages.clear();
      version.clear();
      priority = 0;
    };
    for_each_line(tree.read(file).text, [&](std::string_view line) {
      if (stripped(line).empty()) return close();
      if (const auto found = after(line, "Package:")) packages = stripped(*found);
      if (const auto found = after(line, "Pin:")) {
        const auto given = after(stripped(*found), "version ");
        version = given ? stripped(*given) : std::string_view();
      }
      if (const auto found = after(line, "Pin-Priority:"))
        priority = result::number_in<int>(stripped(*found)).value_or(0);
    });
    close();
  }
  return pins;
}

bool keeps_release(const Pin& pin, const std::string& installed) {
  const std::string_view version = pin.version;
  if (version.starts_with('/')) return false;
  const auto wild = version.find_first_of("*?[");
  if (wild == std::string_view::npos) return true;
  std::string_view fixed = version.substr(0, wild);
  if (const auto epoch = fixed.find(':'); epoch != std::string_view::npos) fixed.remove_prefix(epoch + 1);
  if (fixed.find('-') != std::string_view::npos) return true;
  if (fixed.ends_with('.')) return false;
  if (std::count(fixed.begin(), fixed.end(), '.') >= 2) return true;
  const auto release = Version::parse(fixed);
  return release && fixed == upstream_version(installed) && !goes_on(*release);
}

const Pin* find_pin(const std::vector<Pin>& pins, const std::string& package, const std::string& installed) {
  constexpr int priority_of_a_repository = 500;
  const Pin* found = nullptr;
  for (const Pin& pin : pins) {
    if (pin.priority <= priority_of_a_repository || ::fnmatch(pin.package.c_str(), package.c_str(), 0) != 0)
      continue;
    if (keeps_release(pin, installed)) return &pin;
    if (found == nullptr) found = &pin;
  }
  return found;
}

}  // namespace gpugauge::stack
