// cuDNN's graph API behind a small interface: cudnn-frontend's headers take long to compile and stay in one
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "cudnn/plan_room.hpp"
#include "kernels/attention/scaled_dot_product.hpp"
#include "kernels/convolution/shape.hpp"

namespace gpugauge::bench::cudnn {

/// cuDNN or its frontend refused; what(): the step and the library's own words.
class CudnnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This cuDNN has no plan for the operation on this GPU.
class NoPlan : public CudnnError {
 public:
  using CudnnError::CudnnError;
};

/// The version that was loaded and that of the headers, 91900 for 9.19.0.
std::size_t loaded_version();
std::size_t built_version();

/// One operation as cuDNN plans it: the plans of its heuristic, in its order, as far as they could be built.
class Graph {
 public:
  Graph(Graph&&) noexcept;
  ~Graph();

  std::size_t plans() const;
  /// cuDNN's name of a plan: engine and knobs.
  std::string name(std::size_t plan) const;
  std::size_t workspace_bytes(std::size_t plan) const;
  /// Which plans were passed over for their workspace, "" where none was.
  std::string left_out() const;
  /// Which of the frontend's nodes computes attention forward: "unified", or "composite" and why not the
  /// other; "" for all other operations.
  const std::string& node() const;
  /// Enqueues a plan. `tensors`: device pointers in the order that the maker of the graph names. Throws
  /// CudnnError.
  void run(std::size_t plan, const std::vector<void*>& tensors, void* workspace, cudaStream_t stream);

 private:
  struct Implementation;
  explicit Graph(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;

  friend Graph convolution(const kernels::convolution::Shape&, kernels::convolution::Pass, kernels::Element,
                           bool, bool, const PlanLimits&);
  friend Graph attention_forward(const kernels::attention::Shape&, kernels::Element, bool, const PlanLimits&);
  friend Graph attention_backward(const kernels::attention::Shape&, kernels::Element, const PlanLimits&);
  friend Graph layer_norm(std::int64_t, std::int64_t, kernels::Element, double, const PlanLimits&);
};

// All of these throw NoPlan where cuDNN has none, Skipped where a plan lacks memory for its workspace that
// something else holds, or that stands before the first that has it, CudnnError for anything else. At least
// one of the heuristic's plans is built, those of its fallback last; building ends after three seconds.

/// Tensors: image, other, result, as kernels::convolution::reference names them. channels_last: NHWC, and
/// filters KRSC; else NCHW and KCRS. Sums in fp32. fp32 data: on Tensor Cores with inputs rounded to tf32
/// only where `tensor_cores`. Plans by Winograd's or a Fourier transform, those that add in less than fp32,
/// and those that convert fp32 inputs to 16 bits, are left out: they compute something else, with another
/// error.
Graph convolution(const kernels::convolution::Shape& shape, kernels::convolution::Pass pass,
                  kernels::Element type, bool channels_last, bool tensor_cores, const PlanLimits& limits);

/// Tensors: q, k, v, out, and with `statistics` the log-sum-exp of each row, fp32. Of the frontend's nodes
/// the first that has a plan.
Graph attention_forward(const kernels::attention::Shape& shape, kernels::Element type, bool statistics,
                        const PlanLimits& limits);

/// Tensors: q, k, v, out, d_out, statistics, d_q, d_k, d_v.
Graph attention_backward(const kernels::attention::Shape& shape, kernels::Element type,
                         const PlanLimits& limits);

/// Tensors: x, scale, bias, y: y = (x - mean) / sqrt(variance + epsilon) scale + bias over each of `rows`
/// rows of `columns`; scale and bias are fp32.
Graph layer_norm(std::int64_t rows, std::int64_t columns, kernels::Element type, double epsilon,
                 const PlanLimits& limits);

}  // namespace gpugauge::bench::cudnn
