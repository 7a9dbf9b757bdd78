#include "cli/named_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "baseline/baseline.hpp"
#include "cli/ranks.hpp"
#include "cli/run_files.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/schema_in.hpp"
#include "run/output_lock.hpp"
#include "store/store.hpp"

namespace gpugauge::cli {
namespace {

namespace fs = std::filesystem;

/// What an output's value names.
enum class Place { file, folder, either };

struct Role {
  std::optional<Reads> read;  ///< nullopt: it is written
  Dash dash = Dash::refused;
  Place place = Place::file;
};

std::map<const CLI::Option*, Role>& roles() {
  static std::map<const CLI::Option*, Role> instance;
  return instance;
}

/// A file on the command line, and how a sentence names it.
struct Named {
  std::string label;  ///< "--report json=a.json"
  std::string file;   ///< "a.json"
  Role role;
};

/// What lies there, links followed; nullopt where no file does.
std::optional<std::pair<dev_t, ino_t>> identity(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return std::pair(info.st_dev, info.st_ino);
}

/// Without links, also where the end of it is not there yet.
fs::path whole(const fs::path& file) {
  std::error_code error;
  const fs::path absolute = fs::absolute(file, error);
  fs::path place = fs::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : place;
}

/// What is looked at once, since thousands of files may be read.
struct Output {
  explicit Output(const fs::path& named) : file(named), there(identity(named)), place(whole(named)) {}
  fs::path file;
  std::optional<std::pair<dev_t, ino_t>> there;
  fs::path place;
};

bool is_one_file(const Output& output, const fs::path& input) {
  const auto there = identity(input);
  return output.there || there ? output.there == there : output.place == whole(input);
}

bool is_below(const Output& output, const fs::path& folder) {
  const fs::path above = whole(folder);
  return std::mismatch(above.begin(), above.end(), output.place.begin(), output.place.end()).first ==
         above.end();
}

std::string label_of(const CLI::Option& option, const std::string& value) {
  if (option.nonpositional()) return fmt::format("{} {}", option.get_name(false, false), value);
  const std::string type = option.get_type_name();
  return fmt::format("{} {}", type.empty() ? option.get_name(true) : type, value);
}

/// Of the commands that were chosen, from `app` on.
void collect(const CLI::App& app, std::vector<Named>& out) {
  for (const CLI::Option* option : app.get_options()) {
    const auto role = roles().find(option);
    if (role == roles().end() || option->count() == 0) continue;
    const bool behind_a_kind = option->get_type_name().find('=') != std::string::npos;
    for (const std::string& value : option->results()) {
      const std::size_t at = behind_a_kind ? value.find('=') : std::string::npos;
      if (behind_a_kind && at == std::string::npos) continue;  // the command says how it is given
      const std::string file = behind_a_kind ? value.substr(at + 1) : value;
      if (!file.empty()) out.push_back({label_of(*option, value), file, role->second});
    }
  }
  for (const CLI::App* below : app.get_subcommands()) collect(*below, out);
}

/// --state-dir, wherever it was given; "" where it was not.
std::string given_state(const CLI::App& app) {
  if (const CLI::Option* option = app.get_option_no_throw("--state-dir");
      option != nullptr && option->count() > 0)
    return option->results().back();
  for (const CLI::App* below : app.get_subcommands())
    if (std::string state = given_state(*below); !state.empty()) return state;
  return {};
}

/// In a folder of results last night's report may lie: it is left out there, and may be written anew.
bool is_read_as_run(const fs::path& file) {
  try {
    const std::string text = result::read_file(file);
    return !text.empty() && !result::of_another_schema(text);
  } catch (const result::FileError&) {
    return true;
  }
}

bool is_among_runs(const Output& output, const std::string& given) {
  try {
    for (const FoundFile& found : find_files(expanded({given})))
      if (is_one_file(output, found.file)) return !found.in_a_folder || is_read_as_run(output.file);
  } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): who reads them says what is wrong
  }
  return false;
}

bool is_of_baseline(const Output& output, const std::string& name) {
  std::error_code error;
  return baseline::names_folder(name) && fs::is_directory(name, error) && is_below(output, name);
}

bool is_read(const Output& output, const Named& input) {
  if (is_one_file(output, input.file)) return true;
  constexpr std::array<const char*, 3> beside_a_store{"-wal", "-shm", "-journal"};
  for (const char* const end : beside_a_store)
    if (output.place.native().ends_with(end) && is_one_file(output, input.file + end)) return true;
  if (!output.there) return false;
  return (input.role.read == Reads::runs && is_among_runs(output, input.file)) ||
         (input.role.read == Reads::baseline && is_of_baseline(output, input.file));
}

/// The store and the files of the state folder that every command may read.
std::vector<Named> unnamed(const CLI::App& app) {
  std::vector<Named> out;
  try {
    const std::string given = given_state(app);
    const fs::path state = given.empty() ? baseline::state_directory() : fs::path(given);
    for (const char* const folder : {"baselines", "site", "upgrades", "verdicts"})
      out.push_back({"the state folder's", (state / folder).string(), {Reads::baseline}});
    out.push_back({"the store", (state / "history.sqlite").string(), {Reads::file}});
    out.push_back({"the store", store::default_location(""), {Reads::file}});
  } catch (const result::UsageError&) {  // NOLINT(bugprone-empty-catch): without a home there is none
  }
  return out;
}

/// What can be seen to be impossible costs no measurement.
void require_place(const Named& output, const fs::path& file) {
  std::error_code error;
  const bool folder =
      output.role.place == Place::folder ||
      (output.role.place == Place::either && (!file.has_filename() || fs::is_directory(file, error)));
  try {
    result::require_place_to_write(folder ? file / "run.json" : file);
  } catch (const result::FileError& fault) {
    throw result::FileError(fmt::format("{}: {}; nothing was done", output.label, fault.what()));
  }
}

[[noreturn]] void refuse(const Named& output, const std::string& input) {
  throw result::UsageError(fmt::format(
      "{} would be written over {}, which is read; give the output another name", output.label, input));
}

}  // namespace

CLI::Option* reads(CLI::Option* option, const char* value_name, Reads how) {
  roles()[option] = {how};
  return option->type_name(value_name);
}

CLI::Option* writes(CLI::Option* option, const char* value_name, Dash dash) {
  const std::string_view name = value_name;
  const Place place = name == "DIR" ? Place::folder : name == "FILE|FOLDER" ? Place::either : Place::file;
  roles()[option] = {std::nullopt, dash, place};
  return option->type_name(value_name);
}

void keep_apart(const CLI::App& app) {
  std::vector<Named> given;
  collect(app, given);
  std::vector<Named> outputs;
  std::copy_if(given.begin(), given.end(), std::back_inserter(outputs),
               [](const Named& one) { return !one.role.read; });
  if (outputs.empty()) return;
  std::erase_if(given,
                [](const Named& one) { return !one.role.read || one.file.find("://") != std::string::npos; });
  std::vector<fs::path> files;
  for (const Named& output : outputs) {
    if (output.file == "-" && output.role.dash == Dash::refused)
      throw result::UsageError(fmt::format(
          "{}: it is not written to standard output; ./- is the file of that name", output.label));
    if (output.file == "-") continue;
    std::error_code error;
    if (!fs::path(output.file).has_filename() || fs::is_directory(output.file, error)) continue;
    files.emplace_back(output.file);
  }
  run::require_different(files);
  const std::vector<Named> state = unnamed(app);
  for (const Named& output : outputs) {
    // Of several ranks each adds its number to the name that all were given.
    for (const std::string& file : std::set<std::string>{output.file, own_file(output.file)}) {
      if (file == "-") continue;
      const Output written(file);
      for (const Named& input : given)
        if (is_read(written, input)) refuse(output, input.label);
      for (const Named& input : state)
        if (is_read(written, input))
          refuse(output, fmt::format("{} {}", input.label,
                                     input.role.read == Reads::file ? input.file : written.place.string()));
      require_place(output, file);
    }
  }
}

}  // namespace gpugauge::cli
