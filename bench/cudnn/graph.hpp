// cuDNN's graph API behind a small interface. cudnn-frontend's headers take long to compile, so only one file
// includes them.
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

/// cuDNN or its frontend returned an error. what(): the step and the library's own message.
class CudnnError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This cuDNN has no plan for the operation on this GPU.
class NoPlan : public CudnnError {
 public:
  using CudnnError::CudnnError;
};

/// The version that was loaded, and the version of the headers: 91900 for 9.19.0.
std::size_t loaded_version();
std::size_t built_version();

/// One operation and cuDNN's plans for it: the plans of its heuristic that could be built, in its order.
class Graph {
 public:
  Graph(Graph&&) noexcept;
  ~Graph();

  std::size_t plans() const;
  /// cuDNN's name of a plan: engine and knobs.
  std::string name(std::size_t plan) const;
  std::size_t workspace_bytes(std::size_t plan) const;
  /// The plans that were skipped because of their workspace; "" where none was.
  std::string left_out() const;
  /// Why fewer plans were built than the heuristic may offer, a clause: the host was too slow for more in its time.
  /// "" where none is missing for that.
  const std::string& cut_short() const;
  /// The frontend node that computes forward attention: "unified", or "composite" with the reason why not
  /// unified. "" for all other operations.
  const std::string& node() const;
  /// Enqueues a plan. `tensors`: device pointers, in the order given at the function that makes the graph.
  /// Throws CudnnError.
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

// All of these throw NoPlan where cuDNN has no plan. They throw Skipped where a plan's workspace does not
// fit, if something else holds the memory or no earlier plan fits. They throw CudnnError for anything else.
// At least one of the heuristic's plans is built, and its fallback plans come last. Building stops after
// three seconds.

/// Tensors: image, other, result, as kernels::convolution::reference names them. channels_last: NHWC with
/// KRSC filters; otherwise NCHW with KCRS filters. Sums are in fp32. fp32 data use Tensor Cores, with inputs
/// rounded to tf32, only where `tensor_cores` is set. Left out are Winograd and Fourier plans, plans that add
/// in less than fp32, and plans that convert fp32 inputs to 16 bits. These compute something else, with
/// another error.
Graph convolution(const kernels::convolution::Shape& shape, kernels::convolution::Pass pass,
                  kernels::Element type, bool channels_last, bool tensor_cores, const PlanLimits& limits);

/// Tensors: q, k, v, out, and with `statistics` the log-sum-exp of each row in fp32. Uses the first of the
/// frontend's nodes that has a plan.
Graph attention_forward(const kernels::attention::Shape& shape, kernels::Element type, bool statistics,
                        const PlanLimits& limits);

/// Tensors: q, k, v, out, d_out, statistics, d_q, d_k, d_v.
Graph attention_backward(const kernels::attention::Shape& shape, kernels::Element type,
                         const PlanLimits& limits);

/// Tensors: x, scale, bias, y. y = (x - mean) / sqrt(variance + epsilon) scale + bias over each of `rows`
/// rows of `columns`. scale and bias are fp32.
Graph layer_norm(std::int64_t rows, std::int64_t columns, kernels::Element type, double epsilon,
                 const PlanLimits& limits);

}  // namespace gpugauge::bench::cudnn
