#include "baseline/transfer.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <stdlib.h>

#include "baseline/kept_file.hpp"
#include "baseline/run_id.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::baseline {
namespace {

/// A folder that is removed with what it holds, unless it was kept.
class Draft {
 public:
  explicit Draft(const std::filesystem::path& parent) {
    std::error_code error;
    std::filesystem::create_directories(parent, error);
    if (error)
      throw result::FileError(
          fmt::format("the folder {} could not be made: {}", parent.string(), error.message()));
    std::string pattern = (parent / ".import-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw result::FileError(
          fmt::format("a folder in {} could not be made: {}", parent.string(), std::strerror(errno)));
    path_ = pattern;
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }
  void keep_as(const std::filesystem::path& place) {
    // 0755: mkdtemp made it private, and a baseline is not.
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
    std::error_code error;
    std::filesystem::rename(path_, place, error);
    if (error)
      throw result::FileError(fmt::format("{} could not be made: {}", place.string(), error.message()));
    path_.clear();
  }

 private:
  std::filesystem::path path_;
};

constexpr std::size_t longest_name = 120;
constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/// The files of a baseline folder that a bundle may hold.
bool is_bundled(const std::string& name) {
  if (name == "baseline.json" || name == "log.jsonl" || name == "log.head") return true;
  constexpr std::string_view runs = "runs/";
  constexpr std::string_view ending = ".json";
  return name.starts_with(runs) && name.ends_with(ending) && name.size() > runs.size() + ending.size() &&
         is_run_id(std::string_view(name).substr(runs.size(), name.size() - runs.size() - ending.size()));
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= longest_name && text.find_first_of("._-") != 0 &&
         text.find_first_not_of(name_letters) == std::string_view::npos;
}

std::string name_from(std::string_view text) {
  std::string out(text.substr(0, longest_name));
  for (char& letter : out)
    if (name_letters.find(letter) == std::string_view::npos) letter = '_';
  if (out.empty() || out.find_first_of("._-") == 0) out.insert(0, 1, 'x');
  return out.substr(0, longest_name);
}

std::string to_bundle(const std::filesystem::path& folder) {
  const Baseline baseline = load(folder);
  nlohmann::ordered_json files;
  const auto add = [&](const std::string& name) { files[name] = result::read_file(folder / name); };
  add("baseline.json");
  // The head first: it may lag behind a decision that is made in this moment, and never runs ahead.
  add("log.head");
  add("log.jsonl");
  for (const Entry& entry : baseline.manifest.entries) add(entry.file);
  return result::dump_json(
      {{"schema", bundle_schema}, {"name", baseline.manifest.name}, {"files", std::move(files)}});
}

Baseline from_bundle(const std::string& text, const std::string& origin, const std::filesystem::path& parent,
                     const std::string& name, const std::string& reason, const std::string& time) {
  const nlohmann::json value = result::parse_json(text, origin);
  result::ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, bundle_schema);
  const std::string own_name = reader.text("name");
  const std::map<std::string, std::string> files = reader.text_map("files");
  reader.done();
  const std::string& final_name = name.empty() ? own_name : name;
  if (!is_name(final_name))
    throw result::UsageError(
        fmt::format("{}: its name {} cannot be a folder's; give it one of letters, digits, '.', '_' and "
                    "'-' that begins with a letter or digit, with --name",
                    origin, result::quoted(final_name)));
  const std::filesystem::path place = parent / final_name;
  if (std::filesystem::exists(std::filesystem::symlink_status(place)))
    throw result::UsageError(fmt::format(
        "{} is there already; baselines are never overwritten: give this one another name with --name",
        place.string()));
  if (files.count("baseline.json") == 0) reader.place().key("files").refuse("holds no baseline.json");
  for (const auto& [file, content] : files)
    if (!is_bundled(file))
      reader.place().key("files").refuse(
          fmt::format("holds {}, which is no file of a baseline", result::quoted(file)));

  refuse_links_in_state(parent);
  Draft draft(parent);
  for (const auto& [file, content] : files) result::write_file(draft.path() / file, content);
  const Baseline made = load(draft.path());
  constexpr std::size_t own_files = 3;  // manifest, log and its head
  if (files.size() != made.manifest.entries.size() + own_files)
    throw result::FormatError(fmt::format("{}: it holds files that its manifest does not name", origin));
  append_log(draft.path(),
             {{time, current_user(), reason.empty() ? fmt::format("imported from {}", origin) : reason,
               reason.empty() ? State::candidate : State::active, std::nullopt}});
  Baseline imported = load(draft.path());
  draft.keep_as(place);
  imported.folder = place;
  return imported;
}

}  // namespace gpugauge::baseline
