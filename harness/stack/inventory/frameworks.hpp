// What is known of each framework's build, from the files that its package installed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "stack/child.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/inventory/wheels.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Names of the inventory, in reading order.
inline constexpr std::array frameworks{"torch", "tensorflow", "jax", "onnxruntime", "cupy", "vllm"};

/// The framework that a distribution provides, "" for any other: "onnxruntime-gpu" -> "onnxruntime".
std::string framework_of(const std::string& distribution);

/// A fact with where it stands; the value is "" where it is not known.
struct BuildFact {
  std::string value;   ///< in the form of docs/inventory.md; "" unknown
  std::string source;  ///< the file or folder that tells it
  std::string how;     ///< in a few words, as Item::how
};

/// What the files of one installed framework tell of its build. Each fact is empty where none tells.
struct FrameworkBuildFacts {
  BuildFact version;    ///< of the code itself, where it says so: metadata of two versions may lie beside it
  BuildFact package;    ///< the distribution that wrote the code that is there, where that says so
  BuildFact build;      ///< "cpu", "cuda", "rocm", "unknown"
  BuildFact cuda;       ///< "12.8", or "12" where only that is told
  BuildFact cudnn;      ///< what it carries, was built with or requires: "9.10.2.21"
  BuildFact nccl;       ///< likewise: "2.27.3"
  BuildFact arch_list;  ///< what its GPU code is for, with blanks between: "sm_80 sm_90 compute_90"
};

/// `chosen` provides the framework; `all` are the distributions of its folder.
FrameworkBuildFacts read_build(const Tree& tree, const std::string& framework, const Distribution& chosen,
                               const std::vector<Distribution>& all);

/// The script that imports one framework and prints what only an import tells, as one line of JSON.
extern const char* const import_script;

/// What the child that ran the script answered, as framework.<name>.import.*: facts, or the error.
void add_import(const std::string& framework, const std::string& interpreter, const ChildResult& child,
                double limit_seconds, Inventory& inventory);

/// The value that a line "name = 'x'" or "name: Optional[str] = 'x'" gives; "" for None, for what is no plain
/// literal, and where there is no such line.
std::string assigned_in_python(std::string_view text, std::string_view name);
/// The value behind 'key' in a dictionary or list of pairs: a text, a number, True or False.
std::string paired_in_python(std::string_view text, std::string_view key);
/// The texts of the list behind 'key'.
std::vector<std::string> list_in_python(std::string_view text, std::string_view key);

}  // namespace gpugauge::stack
