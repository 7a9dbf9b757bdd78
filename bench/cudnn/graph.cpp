// Builds cuDNN graphs and their plans; the only file that includes cudnn-frontend's headers.
#include "cudnn/graph.hpp"

#include <cmath>
#include <unordered_map>
#include <utility>

#include <cudnn.h>
#include <fmt/format.h>

#include "support/cuda/device.hpp"
#include "support/cuda/error.hpp"
#include "support/timer.hpp"

// The JSON library is not needed, and takes half of the compile time.
#define CUDNN_FRONTEND_SKIP_JSON_LIB

#include <cudnn_frontend.h>

namespace gpugauge::bench::cudnn {

namespace fe = cudnn_frontend;
using kernels::Element;
using TensorPointer = std::shared_ptr<fe::graph::Tensor_attributes>;

namespace {

constexpr double longest_building = 3;  // seconds

void check(cudnnStatus_t status, const char* doing) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char detail[512] = {};
  cudnnGetLastErrorString(detail, sizeof detail);
  const std::string what = fmt::format("{} failed: {} ({}): {}", doing, cudnnGetErrorString(status),
                                       static_cast<int>(status), detail);
  if (status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED) throw cuda::OutOfMemory(what);
  // With any of these the handle of a library without memory is refused.
  if (status == CUDNN_STATUS_NOT_INITIALIZED || status == CUDNN_STATUS_INTERNAL_ERROR)
    require_library_room(cuda::memory_now(), what);
  throw CudnnError(what);
}

void check(fe::error_t error, const char* doing) {
  if (error.is_good()) return;
  throw CudnnError(fmt::format("{} failed: {}", doing, error.get_message()));
}

fe::DataType_t data_type(Element type) {
  switch (type) {
    case Element::fp32:
      return fe::DataType_t::FLOAT;
    case Element::fp16:
      return fe::DataType_t::HALF;
    case Element::bf16:
      return fe::DataType_t::BFLOAT16;
    default:
      throw std::logic_error("cuDNN is not measured with this type");
  }
}

std::vector<std::int64_t> strides(const std::vector<std::int64_t>& size, bool channels_last) {
  if (channels_last) return {size[1] * size[2] * size[3], 1, size[3] * size[1], size[1]};
  return {size[1] * size[2] * size[3], size[2] * size[3], size[3], 1};
}

struct HandleDestroy {
  void operator()(cudnnHandle_t handle) const { cudnnDestroy(handle); }
};

}  // namespace

struct Graph::Implementation {
  explicit Implementation(Element io) : type(io) {
    cudnnHandle_t made = nullptr;
    check(cudnnCreate(&made), "creating a cuDNN handle");
    handle.reset(made);
    graph.set_io_data_type(data_type(type))
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
  }

  TensorPointer input(const char* name, const std::vector<std::int64_t>& size,
                      const std::vector<std::int64_t>& stride, Element of) {
    return graph.tensor(fe::graph::Tensor_attributes()
                            .set_name(name)
                            .set_dim(size)
                            .set_stride(stride)
                            .set_uid(next_uid++)
                            .set_data_type(data_type(of)));
  }
  TensorPointer input(const char* name, const std::vector<std::int64_t>& size,
                      const std::vector<std::int64_t>& stride) {
    return input(name, size, stride, type);
  }
  /// Uids follow the order in which tensors are named: inputs first.
  void output(const TensorPointer& tensor, const std::vector<std::int64_t>& size,
              const std::vector<std::int64_t>& stride, Element of) {
    tensor->set_output(true)
        .set_uid(next_uid++)
        .set_dim(size)
        .set_stride(stride)
        .set_data_type(data_type(of));
  }

  void build(const PlanLimits& limits, const std::vector<fe::NumericalNote_t>& without) {
    check(graph.validate(), "validating the cuDNN graph");
    check(graph.build_operation_graph(handle.get()), "building the cuDNN graph");
    // The heuristic reports that it has no plan by an error of the backend. Its fallback comes last, because
    // the plans left out below may be all that the heuristic itself has.
    if (fe::error_t asked = graph.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
        asked.is_bad())
      throw NoPlan(fmt::format("cuDNN has no plan for this operation on this GPU: {}", asked.get_message()));
    if (!without.empty()) graph.deselect_numeric_notes(without);
    const GpuMemory memory = cuda::memory_now();
    const double start = steady_seconds();
    std::string refusal = "the heuristic offers none";
    for (std::int64_t i = 0; i < graph.get_execution_plan_count(); ++i) {
      if (static_cast<int>(usable.size()) == limits.most) break;
      if (!usable.empty() && steady_seconds() - start > longest_building) {
        cut_short = fmt::format("only {} of up to {} plans were built within {:g} s", usable.size(),
                                limits.most, longest_building);
        break;
      }
      fe::error_t built = graph.build_plan_at_index(handle.get(), i);
      if (built.is_bad()) {
        const std::string words = built.get_message();
        if (words.find("Deselecting") == std::string::npos) refusal = words;
        continue;
      }
      // Checked here, because the frontend would only skip the plan, and another one would become the first.
      if (auto lack = why_no_workspace(i, workspace_at(i), limits.taken, memory)) {
        if (ends_benchmark(*lack, !usable.empty())) throw std::move(*lack);
        if (too_large++ == 0) first_too_large = std::move(lack->reason);
        continue;
      }
      usable.push_back(i);
    }
    if (usable.empty())
      throw NoPlan(fmt::format("cuDNN has no plan for this operation on this GPU: {}", refusal));
  }

  std::size_t workspace_at(std::int64_t index) const {
    std::int64_t bytes = 0;
    check(graph.get_workspace_size_plan_at_index(index, bytes), "asking cuDNN for its workspace");
    return static_cast<std::size_t>(bytes);
  }

  Element type;
  std::unique_ptr<std::remove_pointer_t<cudnnHandle_t>, HandleDestroy> handle;
  fe::graph::Graph graph;
  std::vector<std::int64_t> usable;
  int too_large = 0;  ///< plans after the first usable one that never fit a GPU of this size
  std::string first_too_large;
  std::string cut_short;
  std::string node;
  std::int64_t next_uid = 1;
  cudaStream_t stream = nullptr;
};

std::size_t loaded_version() {
  return cudnnGetVersion();
}
std::size_t built_version() {
  return CUDNN_VERSION;
}

Graph::Graph(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph::~Graph() = default;

std::size_t Graph::plans() const {
  return implementation_->usable.size();
}

std::string Graph::name(std::size_t plan) const {
  std::string name;
  if (implementation_->graph.get_plan_name_at_index(implementation_->usable.at(plan), name).is_bad())
    return "unnamed";
  return name;
}

const std::string& Graph::node() const {
  return implementation_->node;
}

std::size_t Graph::workspace_bytes(std::size_t plan) const {
  return implementation_->workspace_at(implementation_->usable.at(plan));
}

std::string Graph::left_out() const {
  const Implementation& all = *implementation_;
  return all.too_large == 0 ? "" : fmt::format("{}: {}", all.too_large, all.first_too_large);
}

const std::string& Graph::cut_short() const {
  return implementation_->cut_short;
}

void Graph::run(std::size_t plan, const std::vector<void*>& tensors, void* workspace, cudaStream_t stream) {
  Implementation& all = *implementation_;
  if (static_cast<std::int64_t>(tensors.size()) != all.next_uid - 1)
    throw std::logic_error("a cuDNN graph is run with another number of tensors than it has");
  if (stream != all.stream) {
    check(cudnnSetStream(all.handle.get(), stream), "setting cuDNN's stream");
    all.stream = stream;
  }
  std::unordered_map<std::int64_t, void*> pointers;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    pointers.emplace(static_cast<std::int64_t>(i) + 1, tensors[i]);
  check(all.graph.execute_plan_at_index(all.handle.get(), pointers, workspace, all.usable.at(plan)),
        "running a cuDNN plan");
}

Graph convolution(const kernels::convolution::Shape& shape, kernels::convolution::Pass pass, Element type,
                  bool channels_last, bool tensor_cores, const PlanLimits& limits) {
  using kernels::convolution::Pass;
  auto all = std::make_unique<Graph::Implementation>(type);
  const std::vector<std::int64_t> x{shape.n, shape.c, shape.h, shape.w};
  const std::vector<std::int64_t> w{shape.k, shape.c, shape.r, shape.s};
  const std::vector<std::int64_t> y{shape.n, shape.k, shape.p(), shape.q()};
  const auto settings = [&](auto attributes) {
    return attributes.set_padding({shape.pad, shape.pad})
        .set_stride({shape.stride, shape.stride})
        .set_dilation({1, 1});
  };
  const auto input = [&](const char* name, const std::vector<std::int64_t>& size) {
    return all->input(name, size, strides(size, channels_last));
  };
  const auto output = [&](const TensorPointer& tensor, const std::vector<std::int64_t>& size) {
    all->output(tensor, size, strides(size, channels_last), type);
  };
  if (pass == Pass::forward) {
    const TensorPointer image = input("x", x);
    const TensorPointer filter = input("w", w);
    output(all->graph.conv_fprop(image, filter, settings(fe::graph::Conv_fprop_attributes())), y);
  } else if (pass == Pass::data_gradient) {
    const TensorPointer gradient = input("dy", y);
    const TensorPointer filter = input("w", w);
    output(all->graph.conv_dgrad(gradient, filter, settings(fe::graph::Conv_dgrad_attributes())), x);
  } else {
    const TensorPointer image = input("x", x);
    const TensorPointer gradient = input("dy", y);
    output(all->graph.conv_wgrad(gradient, image, settings(fe::graph::Conv_wgrad_attributes())), w);
  }
  using Note = fe::NumericalNote_t;
  std::vector<Note> without{
      Note::WINOGRAD, Note::WINOGRAD_TILE_4x4,          Note::WINOGRAD_TILE_6x6, Note::WINOGRAD_TILE_13x13,
      Note::FFT,      Note::REDUCED_PRECISION_REDUCTION};
  if (!tensor_cores) without.push_back(Note::TENSOR_CORE);
  if (type == Element::fp32) without.push_back(Note::DOWN_CONVERT_INPUTS);
  all->build(limits, without);
  return Graph(std::move(all));
}

namespace {

std::vector<std::int64_t> heads_of(const kernels::attention::Shape& shape, std::int64_t columns) {
  return {shape.batch, shape.heads, shape.length, columns};
}
float scale_of(const kernels::attention::Shape& shape) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(shape.depth)));
}

}  // namespace

Graph attention_forward(const kernels::attention::Shape& shape, Element type, bool statistics,
                        const PlanLimits& limits) {
  using Node = fe::AttentionImplementation_t;
  const auto by = [&](Node node) {
    auto all = std::make_unique<Graph::Implementation>(type);
    const std::vector<std::int64_t> size = heads_of(shape, shape.depth);
    const std::vector<std::int64_t> stride = strides(size, false);
    const TensorPointer q = all->input("q", size, stride);
    const TensorPointer k = all->input("k", size, stride);
    const TensorPointer v = all->input("v", size, stride);
    const auto settings = fe::graph::SDPA_attributes()
                              .set_name("attention")
                              .set_generate_stats(statistics)
                              .set_causal_mask(shape.causal)
                              .set_attn_scale(scale_of(shape))
                              .set_implementation(node);
    const auto [out, kept] = all->graph.sdpa(q, k, v, settings);
    all->output(out, size, stride, type);
    if (statistics) all->output(kept, heads_of(shape, 1), strides(heads_of(shape, 1), false), Element::fp32);
    all->build(limits, {});
    return all;
  };
  // The order of the frontend's own choice (AUTO). AUTO does not report what it chose, and keeps a node even
  // if cuDNN then has no plan for it.
  try {
    auto unified = by(Node::UNIFIED);
    unified->node = "unified";
    return Graph(std::move(unified));
  } catch (const CudnnError& refused) {
    auto composite = by(Node::COMPOSITE);
    composite->node = fmt::format("composite; unified: {}", refused.what());
    return Graph(std::move(composite));
  }
}

Graph attention_backward(const kernels::attention::Shape& shape, Element type, const PlanLimits& limits) {
  auto all = std::make_unique<Graph::Implementation>(type);
  const std::vector<std::int64_t> size = heads_of(shape, shape.depth);
  const std::vector<std::int64_t> stride = strides(size, false);
  const std::vector<std::int64_t> rows = heads_of(shape, 1);
  const TensorPointer q = all->input("q", size, stride);
  const TensorPointer k = all->input("k", size, stride);
  const TensorPointer v = all->input("v", size, stride);
  const TensorPointer out = all->input("out", size, stride);
  const TensorPointer d_out = all->input("d_out", size, stride);
  const TensorPointer statistics = all->input("statistics", rows, strides(rows, false), Element::fp32);
  const auto settings = fe::graph::SDPA_backward_attributes()
                            .set_name("attention_backward")
                            .set_causal_mask(shape.causal)
                            .set_attn_scale(scale_of(shape));
  const auto [d_q, d_k, d_v] = all->graph.sdpa_backward(q, k, v, out, d_out, statistics, settings);
  for (const TensorPointer& tensor : {d_q, d_k, d_v}) all->output(tensor, size, stride, type);
  all->build(limits, {});
  return Graph(std::move(all));
}

Graph layer_norm(std::int64_t rows, std::int64_t columns, Element type, double epsilon,
                 const PlanLimits& limits) {
  auto all = std::make_unique<Graph::Implementation>(type);
  const std::vector<std::int64_t> size{rows, columns, 1, 1};
  const std::vector<std::int64_t> one_row{1, columns, 1, 1};
  const TensorPointer x = all->input("x", size, strides(size, true));
  const TensorPointer scale = all->input("scale", one_row, strides(one_row, true), Element::fp32);
  const TensorPointer bias = all->input("bias", one_row, strides(one_row, true), Element::fp32);
  TensorPointer small = all->graph.tensor(static_cast<float>(epsilon));
  auto settings = fe::graph::Layernorm_attributes();
  settings.set_forward_phase(fe::NormFwdPhase_t::INFERENCE).set_epsilon(small);
  const auto results = all->graph.layernorm(x, scale, bias, settings);
  all->output(results[0], size, strides(size, true), type);
  all->build(limits, {});
  return Graph(std::move(all));
}

}  // namespace gpugauge::bench::cudnn
