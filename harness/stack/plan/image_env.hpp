// Predicts whether a container image would run on this host, from its environment and labels only. Pulls and
// starts nothing.
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

/// The image's recorded environment.
struct ImageEnvironment {
  std::map<std::string, std::string> variables;  ///< its environment variables, by name
  /// By name. In a list of assignments, those with a dot in their name are labels.
  std::map<std::string, std::string> labels;
  std::vector<std::string> tags;     ///< "nvcr.io/nvidia/pytorch:25.08-py3"; empty if the text has none
  std::vector<std::string> digests;  ///< "name@sha256:..."

  bool operator==(const ImageEnvironment&) const = default;  ///< member by member
};

/// Largest accepted text: 4 MiB.
inline constexpr std::size_t max_image_text = std::size_t{4} << 20;

/// Reads lines NAME=value as `docker run --rm IMAGE env` prints them; strips "export", "ENV", quotes and #
/// comments. Or reads JSON: `docker inspect IMAGE`, an OCI image configuration, or one object of labels. A
/// line "image=NAME[:TAG][@DIGEST]" names the image. Throws result::FormatError for a text that is too large,
/// without assignments, with an invalid line, or JSON of another shape.
ImageEnvironment read_image_environment(const std::string& text, const std::string& origin);

/// One comparison in NVIDIA_REQUIRE_*: "driver>=535".
struct RequireTerm {
  std::string property;  ///< "cuda", "driver", "arch", "brand"
  std::string relation;  ///< "=", "!=", "<", "<=", ">", ">="
  std::string value;     ///< as in the image; compared as a version, except for the brand

  std::string text() const { return property + relation + value; }  ///< as in the image, without blanks
  bool operator==(const RequireTerm&) const = default;              ///< compares texts
};

/// Alternatives, separated by blanks. Each is a list of terms, separated by commas, that must all hold.
using RequireExpression = std::vector<std::vector<RequireTerm>>;
/// Parses such an expression. nullopt if it is invalid or has more than 1000 terms.
std::optional<RequireExpression> parse_require(std::string_view text);

/// The host's properties for requirements.
struct RequireHost {
  std::optional<Version> cuda;    ///< newest CUDA that the driver supports
  std::optional<Version> driver;  ///< absent: unknown
  std::optional<Version> arch;    ///< lowest compute capability of the GPUs
  std::string brand;  ///< NVML's, in lower case without blanks: "geforce", "tesla", "nvidia"; "" unknown
};
/// From the inventory's driver and GPUs; takes the first of several brands.
RequireHost require_host(const Inventory& inventory);

/// nullopt if it depends on an unknown property of the host.
std::optional<bool> holds(const RequireTerm& term, const RequireHost& host);
/// True if one alternative holds; nullopt if unknown.
std::optional<bool> holds(const RequireExpression& expression, const RequireHost& host);

/// Whether an image runs on a host, and why.
struct ImageReport {
  Fit outcome = Fit::unknown;  ///< only as far as its environment tells; it can never prove more
  std::string sentence;        ///< the outcome as a sentence, with a full stop
  std::map<std::string, std::string>
      facts;                   ///< contents the image declares: "cuda", "cudnn", "nccl", "torch", ...
  std::vector<PairFit> pairs;  ///< the image's contents against the host's driver and GPUs
  /// On requirements, capabilities and tags. A failure among them makes the outcome `fails`.
  std::vector<Finding> findings;
};

/// Compares with the driver and GPUs of the inventory, which should be the host's.
ImageReport judge_image(const ImageEnvironment& image, const Inventory& host, const Tables& tables);

}  // namespace gpugauge::stack
