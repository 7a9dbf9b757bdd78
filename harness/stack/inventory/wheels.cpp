// Reads the metadata of installed Python distributions.
#include "stack/inventory/wheels.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t record_limit = std::size_t{8} << 20;
constexpr std::size_t requirements_most = 500;

/// "name==1.2.3" from a requirement line; "" for ranges, and for extras, which may not be installed.
std::string exact_requirement(std::string_view line) {
  const auto marker = line.find(';');
  if (marker != std::string_view::npos && line.find("extra", marker) != std::string_view::npos) return "";
  const std::string_view requirement = stripped(line.substr(0, marker));
  const auto equals = requirement.find("==");
  if (equals == std::string_view::npos) return "";
  std::string_view name = requirement.substr(0, equals);
  name = stripped(name.substr(0, name.find_first_of("[( ")));
  const std::string version = version_word(stripped(requirement.substr(equals + 2)));
  if (name.empty() || version.empty() || requirement.find('*') != std::string_view::npos) return "";
  return fmt::format("{}=={}", normalised(shown(name)), version);
}

/// Reads name, version and requirements from METADATA or PKG-INFO, up to the first empty line.
void read_metadata(std::string_view text, Distribution& found) {
  std::string name;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = stripped(text.substr(start, end - start));
    start = end + 1;
    if (line.empty()) break;
    const auto value_of_field = [&](std::string_view field) {
      return line.starts_with(field) ? stripped(line.substr(field.size())) : std::string_view();
    };
    if (name.empty()) name = normalised(shown(value_of_field("Name:")));
    if (found.version.empty()) found.version = version_word(value_of_field("Version:"));
    std::string requirement = exact_requirement(value_of_field("Requires-Dist:"));
    if (!requirement.empty() && found.requires_exactly.size() < requirements_most)
      found.requires_exactly.push_back(std::move(requirement));
  }
  if (name.empty() || !Version::parse(found.version)) {
    found.version.clear();
    found.damaged = true;
  } else {
    found.name = name;
  }
}

struct FolderName {
  std::string name;
  std::string version;
  bool egg = false;
};

/// "torch-2.8.0+cu128.dist-info" -> torch, 2.8.0+cu128; nullopt for other folders.
std::optional<FolderName> parse_folder_name(const std::string& entry) {
  FolderName parsed;
  std::string stem = entry;
  for (const std::string_view ending : {".dist-info", ".egg-info"}) {
    if (!entry.ends_with(ending)) continue;
    stem = entry.substr(0, entry.size() - ending.size());
    parsed.egg = ending == ".egg-info";
  }
  if (stem.size() == entry.size()) return std::nullopt;
  const auto dash = stem.find('-');
  parsed.name = normalised(shown(stem.substr(0, dash)));
  if (dash == std::string::npos) return parsed;
  const std::string rest = stem.substr(dash + 1);
  parsed.version = version_word(rest.substr(0, rest.find("-py")));
  if (!Version::parse(parsed.version)) parsed.version.clear();
  return parsed;
}

Distribution read_distribution(const Tree& tree, const std::string& site, const std::string& entry,
                               const FolderName& named) {
  Distribution found;
  found.name = named.name;
  found.folder = join(site, entry);
  found.site = site;
  const std::string file = named.egg ? "PKG-INFO" : "METADATA";
  Reading metadata = tree.read(join(found.folder, file));
  if (named.egg && !metadata.present()) metadata = tree.read(found.folder);  // old eggs are a single file
  if (metadata.present()) read_metadata(metadata.text, found);
  if (metadata.present() && !found.damaged) {
    found.how = file;
    return found;
  }
  found.damaged = true;
  const char* const fault = metadata.present()                          ? "tells no name or version"
                            : metadata.presence == Presence::unreadable ? "may not be read"
                                                                        : "is missing";
  found.version = named.version;
  found.how = fmt::format("{} {}{}", file, fault,
                          named.version.empty() ? "" : "; the folder's name tells the version");
  return found;
}

}  // namespace

std::string normalised(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool capital = c >= 'A' && c <= 'Z';
    if (letter || capital) {
      result += capital ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  return result;
}

bool is_nvidia_wheel(const std::string& name) {
  return name.starts_with("nvidia-") || name == "tensorrt" || name.starts_with("tensorrt-");
}

std::vector<Distribution> distributions_in(const Tree& tree, const std::string& site,
                                           bool (*wanted)(const std::string& name)) {
  std::vector<Distribution> found;
  for (const std::string& entry : tree.list(site)) {
    const auto named = parse_folder_name(entry);
    if (named && wanted(named->name)) found.push_back(read_distribution(tree, site, entry, *named));
  }
  return found;
}

std::vector<std::string> files_in_record(std::string_view text) {
  std::vector<std::string> files;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    start = end + 1;
    const bool quoted = line.starts_with('"');
    if (quoted) line.remove_prefix(1);
    const std::string_view file = line.substr(0, line.find(quoted ? '"' : ','));
    if (!file.empty() && file.size() < line.size()) files.emplace_back(file);
  }
  return files;
}

const Distribution* WheelOwners::owner(const std::string& site, const std::string& file) {
  const auto [entry, added] = sites_.try_emplace(site);
  Site& known = entry->second;
  if (added) {
    known.wheels = distributions_in(tree_, site, is_nvidia_wheel);
    for (std::size_t i = 0; i < known.wheels.size(); ++i) {
      const Reading record = tree_.read(join(known.wheels[i].folder, "RECORD"), record_limit);
      for (const std::string& listed : files_in_record(record.text)) {
        if (listed.find(".so") != std::string::npos) known.files.try_emplace(normal(join(site, listed)), i);
      }
    }
  }
  const auto found = known.files.find(file);
  return found == known.files.end() ? nullptr : &known.wheels[found->second];
}

}  // namespace gpugauge::stack
