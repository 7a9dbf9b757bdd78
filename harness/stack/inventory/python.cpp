// Finds the Python environment from files.
#include "stack/inventory/python.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stack/compat/version.hpp"
#include "stack/inventory/lines.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::array interpreters{"python3", "python"};

bool is_file(const Tree& tree, const std::string& path) {
  return !tree.resolve(path).empty() && !is_folder(tree, path);
}

/// The interpreter in an environment's folder; "" if there is none.
std::string interpreter_in(const Tree& tree, const std::string& folder) {
  for (const char* const name : interpreters) {
    std::string path = join(folder, fmt::format("bin/{}", name));
    if (is_file(tree, path)) return path;
  }
  return "";
}

/// True for a shim: a script in a folder "shims" that calls pyenv.
bool is_pyenv_shim(const Tree& tree, const std::string& path) {
  constexpr std::size_t enough = 4096;
  if (file_name_of(parent_of(path)) != "shims") return false;
  const std::string text = tree.read(path, enough).text;
  return text.starts_with("#!") && text.find("pyenv") != std::string::npos;
}

/// The first interpreter on PATH, after following pyenv's shims.
std::string interpreter_on_path(const Tree& tree, const Environment& environment, const std::string& name) {
  for (const std::string& folder : folders_of(environment, "PATH")) {
    std::string path = join(folder, name);
    if (!is_file(tree, path)) continue;
    if (!is_pyenv_shim(tree, path)) return path;
    std::string behind = behind_pyenv_shim(tree, environment, path);
    if (!behind.empty()) return behind;
  }
  return "";
}

/// The value of "key = value" in pyvenv.cfg; "" if there is none.
std::string setting(const std::string& text, std::string_view key) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = std::string_view(text).substr(start, end - start);
    start = end + 1;
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (stripped(line.substr(0, equals)) == key) return std::string(stripped(line.substr(equals + 1)));
  }
  return "";
}

/// A wrapper with another name does not show which interpreter it runs.
bool is_named_as_interpreter(const std::string& path) {
  const std::string name = file_name_of(path);
  return name.find("python") != std::string::npos || name.find("pypy") != std::string::npos;
}

/// "python3.11" -> "3.11", "" for other names.
std::string version_in_name(const std::string& name) {
  constexpr std::string_view start = "python";
  if (!name.starts_with(start)) return "";
  const auto version = Version::parse(std::string_view(name).substr(start.size()));
  return version && version->size() >= 2 ? fmt::format("{}.{}", version->major(), version->minor()) : "";
}

/// "3.11" from the folder lib/python3.11 of a prefix; the newest if there are several; "" if there is none.
std::string version_in_library_folder(const Tree& tree, const std::string& prefix) {
  std::string best;
  for (const char* const library : {"lib", "lib64"}) {
    for (const std::string& name : tree.list(join(prefix, library))) {
      const std::string version = version_in_name(name);
      if (version.empty()) continue;
      if (best.empty() || *Version::parse(version) > *Version::parse(best)) best = version;
    }
  }
  return best;
}

/// Finds prefix and kind. Returns the prefix of the Python from which the environment was made.
std::string find_prefix(const Tree& tree, PythonEnvironment& python) {
  const std::string above = parent_of(parent_of(python.path));
  const Reading venv = tree.read(join(above, "pyvenv.cfg"));
  if (venv.present()) {
    python.prefix = above;
    python.kind = "venv";
    for (const char* const key : {"version", "version_info"}) {  // used by venv and virtualenv
      if (python.version.empty()) python.version = version_word(setting(venv.text, key));
    }
    if (!Version::parse(python.version)) python.version.clear();
    if (!python.version.empty()) python.version_from = join(above, "pyvenv.cfg");
    const std::string home = setting(venv.text, "home");
    return home.starts_with('/') ? parent_of(normal(home)) : "";
  }
  const std::string real = tree.resolve(python.path);
  python.prefix = parent_of(parent_of(real));
  python.kind = "system";
  if (is_folder(tree, join(python.prefix, "conda-meta"))) {
    python.kind = "conda";
    for (const std::string& name : tree.list(join(python.prefix, "conda-meta"))) {
      constexpr std::string_view start = "python-3";
      if (!name.starts_with(start)) continue;
      python.version =
          version_word(name.substr(start.size() - 1, name.find('-', start.size()) - start.size() + 1));
      python.version_from = join(join(python.prefix, "conda-meta"), name);
    }
  } else if (file_name_of(parent_of(python.prefix)) == "versions") {
    python.kind = "pyenv";
    const std::string name = file_name_of(python.prefix);
    if (const auto version = Version::parse(name); version && version->text() == name) {
      python.version = name;
      python.version_from = python.prefix;
    }
  }
  return python.prefix;
}

void find_version(const Tree& tree, PythonEnvironment& python) {
  if (!python.version.empty()) return;
  const std::string real = tree.resolve(python.path);
  python.version = version_in_name(file_name_of(real));
  python.version_from = real;
  if (!python.version.empty()) return;
  python.version = version_in_library_folder(tree, python.prefix);
  python.version_from = join(python.prefix, "lib");
}

void add_folder(const Tree& tree, const std::string& folder, std::vector<std::string>& folders) {
  const std::string real = tree.resolve(folder);
  if (real.empty() || !is_folder(tree, real)) return;
  if (std::find(folders.begin(), folders.end(), real) == folders.end()) folders.push_back(real);
}

void find_packages(const Context& context, const std::string& base, PythonEnvironment& python) {
  const Tree& tree = context.tree;
  const auto minor = Version::parse(python.version);
  const std::string xy = minor ? fmt::format("{}.{}", minor->major(), minor->minor()) : "3";
  for (const std::string& folder : folders_of(context.environment, "PYTHONPATH"))
    add_folder(tree, folder, python.packages);
  const auto site_of = [&](const std::string& prefix) {
    for (const char* const library : {"lib", "lib64"})
      add_folder(tree, fmt::format("{}/{}/python{}/site-packages", prefix, library, xy), python.packages);
  };
  const bool venv = python.kind == "venv";
  if (venv) site_of(python.prefix);
  const std::string inherits =
      setting(tree.read(join(python.prefix, "pyvenv.cfg")).text, "include-system-site-packages");
  if (venv && inherits != "true") return;
  const std::string home = value_of(context.environment, "HOME").value_or("");
  const std::string user =
      value_of(context.environment, "PYTHONUSERBASE").value_or(home.empty() ? "" : home + "/.local");
  if (!user.empty() && value_of(context.environment, "PYTHONNOUSERSITE").value_or("").empty())
    add_folder(tree, fmt::format("{}/lib/python{}/site-packages", user, xy), python.packages);
  if (base.empty()) return;
  if (base == "/usr") {  // Debian: its packages and the administrator's are in folders of other names
    add_folder(tree, fmt::format("/usr/local/lib/python{}/dist-packages", xy), python.packages);
    add_folder(tree, "/usr/lib/python3/dist-packages", python.packages);
    site_of("/usr/local");
  }
  site_of(base);
}

}  // namespace

PythonSearch find_python(const Context& context) {
  const Tree& tree = context.tree;
  PythonSearch search;
  PythonEnvironment python;
  const auto in_variable = [&](const char* name) {
    const std::string folder = value_of(context.environment, name).value_or("");
    if (!python.path.empty() || !folder.starts_with('/')) return;
    python.path = interpreter_in(tree, normal(folder));
    python.named_by = name;
  };
  if (!context.python.empty()) {
    search.wanted = context.python;
    python.named_by = "--python";
    const bool plain_name = context.python.find('/') == std::string::npos;
    const std::string given = as_given(tree, context.python);
    if (plain_name) {
      python.path = interpreter_on_path(tree, context.environment, context.python);
    } else if (is_folder(tree, given)) {
      python.path = interpreter_in(tree, given);
    } else if (is_file(tree, given) && is_named_as_interpreter(given)) {
      python.path = given;
    }
  } else {
    search.wanted = "VIRTUAL_ENV, CONDA_PREFIX, PATH";
    in_variable("VIRTUAL_ENV");
    in_variable("CONDA_PREFIX");
    for (const char* const name : interpreters) {
      if (!python.path.empty()) break;
      python.path = interpreter_on_path(tree, context.environment, name);
      python.named_by = "PATH";
    }
  }
  if (python.path.empty()) return search;
  const std::string base = find_prefix(tree, python);
  find_version(tree, python);
  find_packages(context, base, python);
  search.found = std::move(python);
  return search;
}

}  // namespace gpugauge::stack
