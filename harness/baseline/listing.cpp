// Lists all baselines, and finds one by name.
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baseline/baseline.hpp"
#include "baseline/kept_file.hpp"
#include "baseline/places.hpp"
#include "result/error.hpp"

namespace gpugauge::baseline {
namespace {

/// Fingerprints of baselines' first rounds. Each file is read once, however many baselines it is compared with.
class Nodes {
 public:
  /// Compares the first rounds of two baselines of one device; true if either cannot be read.
  bool same(const Listed& a, const Listed& b) {
    const std::optional<result::Fingerprint>& one = first_of(a);
    const std::optional<result::Fingerprint>& other = first_of(b);
    return !one || !other || same_node(*one, *other);
  }

 private:
  const std::optional<result::Fingerprint>& first_of(const Listed& listed) {
    const auto [known, is_new] = known_.try_emplace(listed.folder);
    if (!is_new) return known->second;
    try {
      known->second = result::read_run(listed.folder / listed.manifest->entries.front().file).fingerprint;
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it stays unknown
    }
    return known->second;
  }

  std::map<std::filesystem::path, std::optional<result::Fingerprint>> known_;
};

/// True if select prefers `a` to `b`, both of one place, device, profile and key.
bool takes_the_place_of(const Listed& a, const Listed& b, Nodes& nodes) {
  if (!a.manifest || !b.manifest || !a.fault.empty() || a.state != State::active || b.state != State::active)
    return false;
  return a.manifest->device == b.manifest->device && a.manifest->profile == b.manifest->profile &&
         a.manifest->key == b.manifest->key && better(*a.manifest, *b.manifest) && nodes.same(a, b);
}

}  // namespace

std::vector<Listed> list(Verify verify) {
  std::vector<Listed> out;
  Nodes nodes;
  for (const Place& place : places()) {
    const std::size_t first = out.size();
    const Found below = found_below(place.root, place.depth);
    for (const Closed& closed : below.closed) {
      Listed unseen{closed.folder, std::string(place.name)};
      unseen.fault = closed.fault;
      unseen.closed = true;
      out.push_back(std::move(unseen));
    }
    for (const auto& folder : below.folders) {
      Listed found{folder, std::string(place.name)};
      try {
        refuse_links_in_state(folder);
        found.manifest = load_manifest(folder);
        found.state = state_of(read_log(folder));
        require_sizes(folder, *found.manifest);
      } catch (const std::exception& fault) {
        found.fault = fault.what();
      }
      out.push_back(std::move(found));
    }
    for (std::size_t i = first; i < out.size(); ++i) {
      const Listed* in_force = &out[i];
      for (std::size_t j = first; j < out.size(); ++j)
        if (takes_the_place_of(out[j], *in_force, nodes)) in_force = &out[j];
      out[i].superseded = in_force != &out[i];
      if (out[i].superseded) out[i].superseded_by = in_force->folder;
    }
    for (std::size_t i = first; verify == Verify::contents && i < out.size(); ++i) {
      if (!out[i].fault.empty()) continue;
      try {
        require_contents(out[i].folder, *out[i].manifest);
      } catch (const std::exception& fault) {
        out[i].fault = fault.what();
      }
    }
  }
  return out;
}

bool names_folder(const std::string& name) {
  std::error_code error;
  return name.find('/') != std::string::npos ||
         std::filesystem::exists(std::filesystem::path(name) / "baseline.json", error);
}

std::filesystem::path find(const std::string& name) {
  if (names_folder(name)) return name;
  std::vector<std::string> known;
  std::vector<std::string> in_folder;  // folders with that name
  std::vector<std::string> named;      // manifests with that name, in other folders
  std::string closed;
  for (const Listed& listed : list()) {
    if (listed.closed)
      closed += "; " + listed.fault;
    else
      known.push_back(listed.folder.filename().string());
    if (listed.folder.filename() == name)
      in_folder.push_back(listed.folder.string());
    else if (listed.manifest && listed.manifest->name == name)
      named.push_back(listed.folder.string());
  }
  const std::vector<std::string>& found = in_folder.empty() ? named : in_folder;
  if (found.size() == 1) return found.front();
  if (!found.empty())
    throw result::UsageError(
        fmt::format("several baselines are called '{}': give the folder of the one that is meant: {}", name,
                    fmt::join(found, ", ")));
  if (known.empty() && !closed.empty())
    throw result::UsageError(fmt::format("no baseline '{}' can be seen{}", name, closed));
  throw result::UsageError(fmt::format("there is no baseline '{}'; there {}{}", name,
                                       known.empty() ? fmt::format("is none yet: {}", how_to_make_one)
                                                     : fmt::format("are {}", fmt::join(known, ", ")),
                                       closed));
}

}  // namespace gpugauge::baseline
