// Reads facts about each framework's build from the files that its package installed.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "stack/child.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/inventory/wheels.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// Framework names in the inventory, in reading order.
inline constexpr std::array frameworks{"torch", "tensorflow", "jax", "onnxruntime", "cupy", "vllm"};

/// The framework that a distribution provides, "" for any other: "onnxruntime-gpu" -> "onnxruntime".
std::string framework_of(const std::string& distribution);

/// A fact and its source; the value is "" if unknown.
struct BuildFact {
  std::string value;   ///< in the form of docs/inventory.md; "" unknown
  std::string source;  ///< the file or folder that tells it
  std::string how;     ///< method in a few words, as Item::how
};

/// Build facts from the files of one installed framework. Each is empty if no file tells it.
struct FrameworkBuildFacts {
  BuildFact version;    ///< of the code itself, if it says so; metadata of two versions may lie beside it
  BuildFact package;    ///< the distribution that installed the present code, if that is known
  BuildFact build;      ///< "cpu", "cuda", "rocm", "unknown"
  BuildFact cuda;       ///< "12.8", or "12" if no more is told
  BuildFact cudnn;      ///< version it carries, was built with, or requires: "9.10.2.21"
  BuildFact nccl;       ///< as cudnn: "2.27.3"
  BuildFact arch_list;  ///< targets of its GPU code, separated by blanks: "sm_80 sm_90 compute_90"
};

/// `chosen` provides the framework; `all` are the distributions in its folder.
FrameworkBuildFacts read_build(const Tree& tree, const std::string& framework, const Distribution& chosen,
                               const std::vector<Distribution>& all);

/// A script that imports one framework and prints, as one line of JSON, what only an import tells.
extern const char* const import_script;

/// Adds the answer of the child that ran the script, as framework.<name>.import.*: facts, or the error.
void add_import(const std::string& framework, const std::string& interpreter, const ChildResult& child,
                double limit_seconds, Inventory& inventory);

/// The value in a line "name = 'x'" or "name: Optional[str] = 'x'". "" for None, for anything but a plain
/// literal, and if there is no such line.
std::string assigned_in_python(std::string_view text, std::string_view name);
/// The value after 'key' in a dictionary or list of pairs: a text, a number, True or False.
std::string paired_in_python(std::string_view text, std::string_view key);
/// The texts of the list after 'key'.
std::vector<std::string> list_in_python(std::string_view text, std::string_view key);

}  // namespace gpugauge::stack
