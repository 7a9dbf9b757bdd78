// Layers of ResNet-50 that represent the others, and how a convolution is computed. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/convolution/shape.hpp"
#include "kernels/gemm/library_tolerance.hpp"

namespace gpugauge::bench::cudnn {

struct Layer {
  const char* name;  ///< as the axis "layer" writes it
  kernels::convolution::Shape shape;
};

/// ResNet-50 on 64 images of 224 x 224 (He, Zhang, Ren and Sun, "Deep residual learning for image
/// recognition", table 1; stages are its conv2_x to conv5_x). Of stride 1: one 3x3 each of stages 2, 3 and 5, the
/// 1x1 that widens stage 2, and the 1x1 that narrows stage 4. Of stride 2: the first layer, and the two kinds
/// by which a stage halves its input, in version 1.5, the one that torchvision and NVIDIA's DeepLearningExamples
/// train: the 3x3 of the first block (in the paper its first 1x1), and the 1x1 of the shortcut beside it.
inline constexpr std::array<Layer, 8> layers{
    {{"stem_7x7", {.n = 64, .c = 3, .h = 224, .w = 224, .k = 64, .r = 7, .s = 7, .pad = 3, .stride = 2}},
     {"stage2_3x3", {.n = 64, .c = 64, .h = 56, .w = 56, .k = 64, .r = 3, .s = 3, .pad = 1, .stride = 1}},
     {"stage2_1x1_expand",
      {.n = 64, .c = 64, .h = 56, .w = 56, .k = 256, .r = 1, .s = 1, .pad = 0, .stride = 1}},
     {"stage3_3x3", {.n = 64, .c = 128, .h = 28, .w = 28, .k = 128, .r = 3, .s = 3, .pad = 1, .stride = 1}},
     {"stage3_3x3_stride2",
      {.n = 64, .c = 128, .h = 56, .w = 56, .k = 128, .r = 3, .s = 3, .pad = 1, .stride = 2}},
     {"stage4_shortcut_1x1_stride2",
      {.n = 64, .c = 512, .h = 28, .w = 28, .k = 1024, .r = 1, .s = 1, .pad = 0, .stride = 2}},
     {"stage4_1x1", {.n = 64, .c = 1024, .h = 14, .w = 14, .k = 256, .r = 1, .s = 1, .pad = 0, .stride = 1}},
     {"stage5_3x3", {.n = 64, .c = 512, .h = 7, .w = 7, .k = 512, .r = 3, .s = 3, .pad = 1, .stride = 1}}}};

/// The layer that represents all.
inline constexpr std::string_view representative = "stage3_3x3";

/// Throws std::logic_error for a name that is not in `layers`.
inline const kernels::convolution::Shape& layer_shape(std::string_view name) {
  for (const Layer& layer : layers)
    if (name == layer.name) return layer.shape;
  throw std::logic_error("no layer is called '" + std::string(name) + "'");
}

/// Types of a convolution: inputs and result have one type, sums are in fp32.
struct Arithmetic {
  const char* name;
  kernels::Element type;
  bool tensor_cores;       ///< for fp32 data: inputs rounded to tf32
  int compute_capability;  ///< 0 = any
  double (*tolerance)(std::int64_t products);
};

inline constexpr Arithmetic fp16{"fp16", kernels::Element::fp16, true, 75, kernels::gemm::tolerance_bf16_mma};
inline constexpr Arithmetic bf16{"bf16", kernels::Element::bf16, true, 80, kernels::gemm::tolerance_bf16_mma};
inline constexpr Arithmetic tf32{"tf32", kernels::Element::fp32, true, 80, kernels::gemm::tolerance_tf32};
inline constexpr Arithmetic fp32{"fp32", kernels::Element::fp32, false, 0,
                                 [](std::int64_t) { return kernels::gemm::tolerance_fp32_fma(); }};

/// Whether every healthy cuDNN 9 that knows the GPU has plans for a convolution. This holds on Tensor Cores
/// from compute capability 8.0 on, channels last, with a multiple of 8 channels. A missing plan then means a
/// broken installation.
inline bool always_planned(const Arithmetic& arithmetic, std::string_view layer, bool channels_last,
                           int compute_capability) {
  return arithmetic.tensor_cores && channels_last && compute_capability >= 80 &&
         layer_shape(layer).c % 8 == 0;
}

}  // namespace gpugauge::bench::cudnn
