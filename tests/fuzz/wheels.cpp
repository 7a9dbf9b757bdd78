// A folder of Python packages: metadata, lists of files, and files of frameworks, of which nothing is run.
#include "stack/inventory/wheels.hpp"

#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"
#include "stack/inventory/frameworks.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::fuzz {
namespace {

void read_texts(std::string_view bytes) {
  stack::files_in_record(bytes);
  for (const std::string_view name : {"__version__", "cuda", "cuda_version", "package_name"})
    stack::assigned_in_python(bytes, name);
  for (const std::string_view key : {"cuda_version", "cudnn_version", "is_cuda_build"})
    stack::paired_in_python(bytes, key);
  stack::list_in_python(bytes, "cuda_compute_capabilities");
  require(stack::version_word(bytes).size() <= 64, "a version is no word");
  require(stack::shown(bytes).find('\n') == std::string::npos, "what is shown has a line end");
}

void read(std::string_view bytes) {
  read_texts(bytes);
  stack::Inventory imported;
  stack::ChildResult child;
  child.exit_code = 0;
  child.out = bytes;
  child.err = bytes;
  stack::add_import("torch", "/usr/bin/python3", child, 20, imported);
  require(!imported.items().empty(), "an import without an outcome");

  static const Place place;
  place.make_tree(bytes, true);
  const stack::Tree tree(place.path());
  const std::string site = "/site";
  const auto all = stack::distributions_in(tree, site, [](const std::string&) { return true; });
  stack::WheelOwners owners(tree);
  for (const stack::Distribution& one : all) {
    require(one.name == stack::normalised(one.name), "a distribution's name is not normalised");
    for (const char* const framework : stack::frameworks) stack::read_build(tree, framework, one, all);
    owners.owner(site, site + "/nvidia/cudnn/lib/libcudnn.so.9");
  }
}

const Target target("wheels", read);

}  // namespace
}  // namespace gpugauge::fuzz
