// Would a container image run on this host? From the image's environment and labels alone: nothing is pulled
// and nothing is started.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/inventory/inventory.hpp"
#include "stack/plan/plan_fit.hpp"
#include "stack/rules/finding.hpp"

namespace gpugauge::stack {

/// What was written into the image.
struct ImageEnvironment {
  std::map<std::string, std::string> variables;  ///< of its environment, by name
  /// By name; of a list of assignments those whose name has a dot.
  std::map<std::string, std::string> labels;
  std::vector<std::string> tags;  ///< "nvcr.io/nvidia/pytorch:25.08-py3"; empty where the text does not say
  std::vector<std::string> digests;  ///< "name@sha256:..."

  bool operator==(const ImageEnvironment&) const = default;  ///< member by member
};

/// Largest text accepted: 4 MiB.
inline constexpr std::size_t max_image_text = std::size_t{4} << 20;

/// Lines NAME=value (as `docker run --rm IMAGE env` prints them; "export", "ENV", quotes and # comments are
/// taken off), or JSON: `docker inspect IMAGE`, an OCI image configuration, or one object of labels. A line
/// "image=NAME[:TAG][@DIGEST]" names the image. Throws result::FormatError: no assignment in it, a line that
/// is none, JSON of another shape, a text that is too large.
ImageEnvironment read_image_environment(const std::string& text, const std::string& origin);

/// One comparison of NVIDIA_REQUIRE_*: "driver>=535".
struct RequireTerm {
  std::string property;  ///< "cuda", "driver", "arch", "brand"
  std::string relation;  ///< "=", "!=", "<", "<=", ">", ">="
  std::string value;     ///< as the image has it; compared as a version but for the brand

  std::string text() const { return property + relation + value; }  ///< as the image has it, without blanks
  bool operator==(const RequireTerm&) const = default;              ///< text for text
};

/// Alternatives, separated by blanks, of terms that all have to hold, separated by commas. nullopt where the
/// text is no such expression.
using RequireExpression = std::vector<std::vector<RequireTerm>>;
/// Also nullopt for more than 1000 terms.
std::optional<RequireExpression> parse_require(std::string_view text);

/// What a requirement is compared with.
struct RequireHost {
  std::optional<Version> cuda;    ///< newest that the driver supports
  std::optional<Version> driver;  ///< absent: unknown
  std::optional<Version> arch;    ///< lowest compute capability of the GPUs
  std::string brand;  ///< NVML's, lower case and without blanks: "geforce", "tesla", "nvidia"; "" unknown
};
/// Of the inventory's driver and GPUs; of several brands the first counts.
RequireHost require_host(const Inventory& inventory);

/// nullopt where it depends on what is not known of the host.
std::optional<bool> holds(const RequireTerm& term, const RequireHost& host);
/// One alternative is enough.
std::optional<bool> holds(const RequireExpression& expression, const RequireHost& host);

/// Whether an image runs on a host, and what is to be said of it.
struct ImageReport {
  Fit outcome = Fit::unknown;  ///< as far as its environment tells: works is never more than that
  std::string sentence;        ///< the outcome, with a full stop
  std::map<std::string, std::string>
      facts;                   ///< "cuda", "cudnn", "nccl", "torch", ...: what the image says it holds
  std::vector<PairFit> pairs;  ///< what the image holds against the host's driver and GPUs
  /// Requirements, capabilities and tags; a failure among them makes the outcome fails.
  std::vector<Finding> findings;
};

/// Against the driver and the GPUs of the inventory, which should be the host's.
ImageReport judge_image(const ImageEnvironment& image, const Inventory& host, const Tables& tables);

}  // namespace gpugauge::stack
