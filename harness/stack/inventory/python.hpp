// Finds the Python environment whose packages are read. Uses files only and does not run the interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// A Python interpreter and its package folders, determined from files.
struct PythonEnvironment {
  std::string path;                   ///< the interpreter as it is called: "/opt/venv/bin/python3"
  std::string named_by;               ///< "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
  std::string prefix;                 ///< folder of the environment: "/opt/venv", "/usr"
  std::string version;                ///< as exact as files tell: "3.11.7" or "3.11"; "" unknown
  std::string version_from;           ///< the file or folder that tells it
  std::string kind;                   ///< "system", "venv", "conda", "pyenv"
  std::vector<std::string> packages;  ///< folders in the order of sys.path: site-packages, dist-packages, ...
};

/// Result of find_python().
struct PythonSearch {
  std::optional<PythonEnvironment> found;  ///< absent if there is none
  std::string wanted;                      ///< where it was looked for
};
/// Searches Context::python, else the active virtual or conda environment, else python3 or python on PATH,
/// through pyenv's shims.
PythonSearch find_python(const Context& context);

/// The interpreter that a pyenv shim would start: from PYENV_VERSION, a .python-version file in PYENV_DIR or
/// PWD or above, or the root's version file. Returns its path; "" if the shim leads to the system's own.
std::string behind_pyenv_shim(const Tree& tree, const Environment& environment, const std::string& shim);

}  // namespace gpugauge::stack
