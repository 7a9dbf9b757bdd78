#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/core.h>

#include "result/error.hpp"
#include "run/child.hpp"
#include "run/runner.hpp"

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "gpugauge-bench-";
constexpr std::size_t longest_description = std::size_t{16} << 20U;

}  // namespace

fs::path family_directory() {
  if (const char* variable = std::getenv("GPUGAUGE_LIBEXEC"); variable != nullptr && *variable != '\0')
    return variable;
  std::error_code error;
  const auto command = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return command.parent_path().parent_path() / "libexec" / "gpugauge";
}

std::vector<Family> find_families() {
  return find_families(family_directory());
}

std::vector<Family> find_families(const fs::path& directory) {
  std::vector<Family> families;
  std::error_code error;
  for (fs::directory_iterator entry(fs::absolute(directory), error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    std::error_code gone;
    if (name.size() > prefix.size() && name.rfind(prefix, 0) == 0 && entry->is_regular_file(gone))
      families.push_back({name.substr(prefix.size()), entry->path(), {}});
  }
  std::sort(families.begin(), families.end(),
            [](const Family& a, const Family& b) { return a.name < b.name; });
  return families;
}

std::string describe_family(const Family& family, double timeout_seconds) {
  std::string description;
  bool too_long = false;
  ChildOptions options;
  options.limit_seconds = timeout_seconds;
  options.on_output = [&](std::string_view text) {
    too_long = too_long || description.size() + text.size() > longest_description;
    if (!too_long) description += text;
  };
  std::vector<std::string> arguments = family.arguments;
  arguments.emplace_back("--gpugauge_describe");
  const auto end = run_child({family.executable, std::move(arguments), {}}, options);
  const auto name = family.executable.filename().string();
  if (!end.fault.empty())
    throw result::FileError(fmt::format("{} {} when asked to describe itself{}", name, end.fault,
                                        end.output.empty() ? "." : "; it said: " + last_line(end.output)));
  if (too_long)
    throw result::FileError(fmt::format("{} describes itself in more than {} bytes: it is not one of ours.",
                                        name, longest_description));
  return description;
}

}  // namespace gpugauge::run
