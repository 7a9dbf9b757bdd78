// The matrix products of frameworks beside the same products of our own cuBLAS. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/observation.hpp"
#include "report/frameworks.hpp"
#include "result/run_file.hpp"

namespace gpugauge::conductor {

/// A product below this share of our own cuBLAS is far below it (docs/frameworks.md says why here).
inline constexpr double least_share_of_cublas = .8;
/// The same of a product whose fp32 matrices are rounded to bf16 first: that is part of its time.
inline constexpr double least_share_of_rounded = .5;

/// What our own cuBLAS did with a product.
struct OwnFigure {
  std::optional<double>
      flops;  ///< per second, of the algorithm that cuBLASLt chooses; nullopt = not measured
  /// Why it was not measured; beside flops: why it is too slow itself, by the physical judge. Else "".
  std::string reason;
};
using OwnFigures = std::map<std::string, OwnFigure>;  ///< by the benchmark's id

/// The benchmark of the family cublas with the same shape, and the type in which the product was seen to
/// compute: fp32 inputs count as tf32 or bf16 where the note numerics says so. "" for an operation that is no product
/// or did not run well on a GPU.
std::string own_product_of(const result::BenchmarkResult& benchmark);

/// own_product_of() of every benchmark of the run: each once, sorted.
std::vector<std::string> own_products_of(const result::Run& run);

/// The figures of these benchmarks from a run of the family cublas. Each id has an entry.
OwnFigures own_figures(const result::Run& own, const std::vector<std::string>& ids);

/// Adds to each product its metric share_of_cublas, which is not judged, and the notes cublas (the benchmark
/// of ours) and cublas_reason (OwnFigure::reason). `own` has an entry for each of own_products_of().
void add_shares(const OwnFigures& own, result::Run& frameworks);

/// What add_shares() added, for a reader; nullopt for an operation that was held against nothing.
std::optional<report::OwnProduct> own_product_in(const result::BenchmarkResult& benchmark);

/// True where the operation is far below our own cuBLAS and that is not slow itself.
bool far_below(const report::FrameworkOperation& operation);

/// What is to be said of a framework's products: which are far below, and which took fp32 matrices and computed
/// in bf16. `context` is that of its process.
std::vector<std::string> remarks_on_products(const report::Framework& framework,
                                             const result::Facts& context);
/// What is to be said of our own cuBLAS: each reason once, with the products that it concerns.
std::vector<std::string> remarks_on_cublas(const std::vector<report::Framework>& frameworks);

/// The product's slowness beside our own cuBLAS, as a figure of an observation; nullopt without a share.
std::optional<diagnose::Metric> product_figure(const result::BenchmarkResult& benchmark,
                                               const std::string& framework);

/// The probe native_benchmark from the products of our own cuBLAS: slow where one is too slow itself or, with
/// `before`, slower than in those rounds by more than 5%; else normal. nullopt where none was measured, or on
/// one side only.
std::optional<diagnose::Probe> native_benchmark(const std::vector<result::Run>& runs,
                                                const std::vector<result::Run>* before);

}  // namespace gpugauge::conductor
