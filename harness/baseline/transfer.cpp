#include "baseline/transfer.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>

#include "baseline/kept_file.hpp"
#include "baseline/run_id.hpp"
#include "result/begun.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/object_reader.hpp"
#include "result/temporary_file.hpp"

namespace gpugauge::baseline {
namespace {

constexpr std::string_view draft_prefix = ".import-";

/// A folder that is removed with what it holds, unless it was kept. One whose maker was killed goes with the
/// next: who lives holds a lock on it.
class Draft {
 public:
  explicit Draft(const std::filesystem::path& parent) {
    begun_.make_folder(parent);
    remove_abandoned(parent);
    bool mine = false;
    while (!mine) {
      std::string pattern = (parent / (std::string(draft_prefix) + "XXXXXX")).string();
      if (::mkdtemp(pattern.data()) == nullptr)
        throw result::FileError(
            fmt::format("a folder in {} could not be made: {}", parent.string(), std::strerror(errno)));
      path_ = pattern;
      held_ = opened(path_);
      // Who clears up may have taken it for abandoned before it was held.
      mine = (hold(held_) || errno != EWOULDBLOCK) && result::is_there(path_);
    }
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
    begun_.keep();
  }

 private:
  /// True where nobody else holds it; false also where the file system has no locks.
  static bool hold(const result::Descriptor& folder) {
    return folder.get() >= 0 && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
  }
  static result::Descriptor opened(const std::filesystem::path& folder) {
    return result::Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  static void remove_abandoned(const std::filesystem::path& parent) {
    std::error_code error;
    std::vector<std::filesystem::path> drafts;
    for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().filename().string().starts_with(draft_prefix)) drafts.push_back(entry->path());
    for (const std::filesystem::path& draft : drafts)
      if (const result::Descriptor held = opened(draft); hold(held))
        std::filesystem::remove_all(draft, error);
  }

  result::Begun begun_;
  std::filesystem::path path_;
  result::Descriptor held_{-1};
};

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

namespace {

/// What a bundle holds, unpacked into `draft`; a fault is the bundle's, as nobody finds that folder later.
Baseline loaded_of(const std::string& origin, const std::filesystem::path& draft) {
  try {
    return load(draft);
  } catch (const result::FormatError& fault) {
    std::string sentence = fault.what();
    const std::string within = draft.string() + "/";
    for (std::size_t at = sentence.find(within); at != std::string::npos; at = sentence.find(within, at))
      sentence.erase(at, within.size());
    throw result::FormatError(fmt::format("{}: {}", origin, sentence));
  }
}

}  // namespace

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
  std::error_code unseen;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(place, unseen)) || result::is_there(place))
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
  const Baseline made = loaded_of(origin, draft.path());
  constexpr std::size_t own_files = 3;  // manifest, log and its head
  if (files.size() != made.manifest.entries.size() + own_files)
    throw result::FormatError(fmt::format("{}: it holds files that its manifest does not name", origin));
  append_log(draft.path(),
             {{time, current_user(), reason.empty() ? fmt::format("imported from {}", origin) : reason,
               reason.empty() ? State::candidate : State::active, std::nullopt, true}});
  Baseline imported = load(draft.path());
  draft.keep_as(place);
  imported.folder = place;
  return imported;
}

}  // namespace gpugauge::baseline
