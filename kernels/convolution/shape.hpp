// A two-dimensional convolution as networks use it: sizes, work, and each of its three passes as one sum.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/support/element.hpp"
#include "kernels/support/host_device.hpp"

namespace gpugauge::kernels::convolution {

/// y[n,k,p,q] = sum over c, r, s of x[n,c,p stride - pad + r,q stride - pad + s] w[k,c,r,s]. Pixels outside
/// the image are 0.
struct Shape {
  int n = 0;       ///< images
  int c = 0;       ///< channels
  int h = 0;       ///< height of an image
  int w = 0;       ///< width of an image
  int k = 0;       ///< filters
  int r = 0;       ///< height of a filter
  int s = 0;       ///< width of a filter
  int pad = 0;     ///< rows and columns of zeros on each side, >= 0
  int stride = 1;  ///< stride of the filters over the image, >= 1

  /// Rows of the result, >= 1 for a shape that fits.
  GPUGAUGE_HOST_DEVICE constexpr int p() const { return (h + 2 * pad - r) / stride + 1; }
  /// Columns of the result, >= 1 for a shape that fits.
  GPUGAUGE_HOST_DEVICE constexpr int q() const { return (w + 2 * pad - s) / stride + 1; }
};

/// forward: y from x and w; data_gradient: dx from dy and w; filter_gradient: dw from dy and x.
enum class Pass { forward, data_gradient, filter_gradient };

/// One multiplication and one addition per filter weight per output, the same for all three passes. Padding
/// counts as if it were image.
constexpr double flops(const Shape& of) {
  return 2.0 * of.n * of.k * of.p() * of.q() * of.c * of.r * of.s;
}

/// Largest number of products in the sum of one result.
constexpr std::int64_t products(const Shape& of, Pass pass) {
  if (pass == Pass::forward) return static_cast<std::int64_t>(of.c) * of.r * of.s;
  if (pass == Pass::data_gradient) return static_cast<std::int64_t>(of.k) * of.r * of.s;
  return static_cast<std::int64_t>(of.n) * of.p() * of.q();
}

/// A four-dimensional array in any layout: [images or filters, channels, rows, columns].
struct Tensor {
  /// A device or host pointer, as the reader needs.
  const void* data = nullptr;
  /// Type of each element.
  Element type = Element::fp32;
  /// Elements along each of the four dimensions, >= 1.
  std::int64_t size[4] = {};
  /// Distance in elements along each dimension.
  std::int64_t stride[4] = {};

  /// Number of elements.
  GPUGAUGE_HOST_DEVICE std::int64_t count() const { return size[0] * size[1] * size[2] * size[3]; }
  /// One element; the indices must be in range.
  GPUGAUGE_HOST_DEVICE double at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return load(data, type, a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3]);
  }
};

/// A sum of products, and the squared norms of its left and right factors.
struct Sum {
  double value = 0;       ///< the sum
  double norm_left = 0;   ///< sum of the squares of the left factors
  double norm_right = 0;  ///< sum of the squares of the right factors

  /// Adds one product.
  GPUGAUGE_HOST_DEVICE void add(double left, double right) {
    value += left * right;
    norm_left += left * left;
    norm_right += right * right;
  }
  /// The scale of errors: the product of both Euclidean norms.
  GPUGAUGE_HOST_DEVICE double scale() const { return std::sqrt(norm_left) * std::sqrt(norm_right); }
};

/// One result of a pass in fp64. image: x for forward and filter_gradient, dy for data_gradient. other: w for
/// forward and data_gradient, dy for filter_gradient. The four indices are those of the result.
GPUGAUGE_HOST_DEVICE inline Sum reference(const Shape& of, Pass pass, const Tensor& image,
                                          const Tensor& other, std::int64_t i0, std::int64_t i1,
                                          std::int64_t i2, std::int64_t i3) {
  Sum sum;
  if (pass == Pass::forward) {
    for (int c = 0; c < of.c; ++c)
      for (int r = 0; r < of.r; ++r)
        for (int s = 0; s < of.s; ++s) {
          const std::int64_t y = i2 * of.stride - of.pad + r;
          const std::int64_t x = i3 * of.stride - of.pad + s;
          if (y >= 0 && y < of.h && x >= 0 && x < of.w) sum.add(image.at(i0, c, y, x), other.at(i1, c, r, s));
        }
  } else if (pass == Pass::data_gradient) {
    for (int k = 0; k < of.k; ++k)
      for (int r = 0; r < of.r; ++r)
        for (int s = 0; s < of.s; ++s) {
          const std::int64_t y = i2 + of.pad - r;
          const std::int64_t x = i3 + of.pad - s;
          if (y < 0 || x < 0 || y % of.stride != 0 || x % of.stride != 0) continue;
          const std::int64_t p = y / of.stride;
          const std::int64_t q = x / of.stride;
          if (p < of.p() && q < of.q()) sum.add(image.at(i0, k, p, q), other.at(k, i1, r, s));
        }
  } else {
    for (int n = 0; n < of.n; ++n)
      for (int p = 0; p < of.p(); ++p)
        for (int q = 0; q < of.q(); ++q) {
          const std::int64_t y = static_cast<std::int64_t>(p) * of.stride - of.pad + i2;
          const std::int64_t x = static_cast<std::int64_t>(q) * of.stride - of.pad + i3;
          if (y >= 0 && y < of.h && x >= 0 && x < of.w) sum.add(image.at(n, i1, y, x), other.at(n, i0, p, q));
        }
  }
  return sum;
}

/// Error of element (i0..i3) of `result`, relative to the norms of the factors in its sum.
GPUGAUGE_HOST_DEVICE inline double element_error(const Shape& of, Pass pass, const Tensor& image,
                                                 const Tensor& other, const Tensor& result, std::int64_t i0,
                                                 std::int64_t i1, std::int64_t i2, std::int64_t i3) {
  const Sum sum = reference(of, pass, image, other, i0, i1, i2, i3);
  return relative_error(result.at(i0, i1, i2, i3), sum.value, rounding_of(result.type), sum.scale());
}

}  // namespace gpugauge::kernels::convolution
