// The Python environment whose packages are read: found by the files alone, the interpreter is not run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stack/inventory/collect.hpp"

namespace gpugauge::stack {

/// A Python interpreter and where it finds packages, told from files.
struct PythonEnvironment {
  std::string path;                   ///< the interpreter as it is called: "/opt/venv/bin/python3"
  std::string named_by;               ///< "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
  std::string prefix;                 ///< folder of the environment: "/opt/venv", "/usr"
  std::string version;                ///< as exactly as files tell it: "3.11.7" or "3.11"; "" unknown
  std::string version_from;           ///< the file or folder that tells it
  std::string kind;                   ///< "system", "venv", "conda", "pyenv"
  std::vector<std::string> packages;  ///< folders in the order of sys.path: site-packages, dist-packages, ...
};

/// Context::python, else the active virtual environment, else the active conda environment, else python3 (or
/// python) on PATH, through pyenv's shims. nullopt where there is none; `wanted` then names what was asked
/// for.
struct PythonSearch {
  std::optional<PythonEnvironment> found;  ///< absent where there is none
  std::string wanted;                      ///< where it was looked for
};
PythonSearch find_python(const Context& context);  ///< as PythonSearch says

/// Which version a pyenv shim would start: PYENV_VERSION, a .python-version file upwards of PYENV_DIR or PWD,
/// or the root's version file. The interpreter's path; "" where the shim leads to the system's own.
std::string behind_pyenv_shim(const Tree& tree, const Environment& environment, const std::string& shim);

}  // namespace gpugauge::stack
