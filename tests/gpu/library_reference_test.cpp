// The judges of the library families: what they accept, and that they find what is wrong.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu_test.hpp"
#include "kernels/attention/scaled_dot_product.hpp"
#include "kernels/convolution/reference.hpp"
#include "kernels/fft/reference.hpp"
#include "kernels/fft/work.hpp"
#include "kernels/gemm/any_product.hpp"
#include "kernels/normalization/layer_norm_check.hpp"
#include "kernels/support/element_fill.hpp"
#include "support/cuda/kernels_seen.hpp"
#include "support/definition.hpp"
#include "support/trial.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using kernels::Element;
using testing_gpu::read_back;

class LibraryReference : public testing_gpu::GpuTest {};

DeviceBuffer<unsigned char> filled(Element type, std::size_t count, std::uint64_t seed) {
  DeviceBuffer<unsigned char> buffer(count * size_of(type));
  check(kernels::fill_elements(buffer.get(), type, count, seed, nullptr), "filling");
  return buffer;
}

template <typename T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
  DeviceBuffer<T> buffer(values.size());
  check(cudaMemcpy(buffer.get(), values.data(), buffer.bytes(), cudaMemcpyHostToDevice), "copying");
  return buffer;
}

TEST_F(LibraryReference, elements_on_the_device_are_the_hosts) {
  for (const Element type : {Element::fp64, Element::fp32, Element::fp16, Element::bf16, Element::e4m3,
                             Element::e5m2, Element::int8}) {
    const auto made = read_back(filled(type, 1000, 9));
    std::vector<unsigned char> wanted(made.size());
    for (std::int64_t i = 0; i < 1000; ++i) kernels::store_uniform(wanted.data(), type, i, 9);
    EXPECT_EQ(made, wanted) << name_of(type);
  }
}

TEST_F(LibraryReference, product_error_is_the_hosts_and_finds_a_wrong_element) {
  constexpr int m = 5, n = 130, k = 40;
  const auto a = filled(Element::e5m2, std::size_t{m} * k, 1);
  const auto b = filled(Element::e4m3, std::size_t{n} * k, 2);
  const auto host_a = read_back(a);
  const auto host_b = read_back(b);
  std::vector<float> c(std::size_t{m} * n);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum += kernels::load(host_a.data(), Element::e5m2, row * k + i) *
               kernels::load(host_b.data(), Element::e4m3, column * k + i);
      c[row * n + column] = static_cast<float>(sum);
    }
  const auto error = [&](const DeviceBuffer<float>& result) {
    const bench::cuda::DeviceComparison found;
    check(kernels::gemm::sampled_product_error({a.get(), Element::e5m2, k, 1}, {b.get(), Element::e4m3, 1, k},
                                               {result.get(), Element::fp32, n, 1}, m, n, k, m, 3,
                                               found.get(), nullptr),
          "comparing");
    return testing_gpu::error_of(found);
  };
  EXPECT_LT(error(on_device(c)), 1e-6);
  c[2 * n + 129] += 0.1F;
  EXPECT_GT(error(on_device(c)), 1e-3);
  c[2 * n + 129] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(error(on_device(c))));
}

TEST_F(LibraryReference, convolution_error_finds_a_wrong_result) {
  using namespace kernels::convolution;
  const Shape of{2, 3, 9, 8, 4, 3, 3, 1, 2};
  const auto x = filled(Element::fp32, 2UL * 3 * 9 * 8, 1);
  const auto w = filled(Element::fp32, 4UL * 3 * 9, 2);
  const auto host_x = read_back(x);
  const auto host_w = read_back(w);
  const Tensor image{x.get(), Element::fp32, {2, 3, 9, 8}, {216, 72, 8, 1}};
  const Tensor filter{w.get(), Element::fp32, {4, 3, 3, 3}, {27, 9, 3, 1}};
  const std::int64_t p = of.p(), q = of.q();
  Tensor result{nullptr, Element::fp32, {2, 4, p, q}, {4 * p * q, p * q, q, 1}};
  Tensor host_image = image, host_filter = filter;
  host_image.data = host_x.data();
  host_filter.data = host_w.data();
  std::vector<float> y;
  for (int n = 0; n < 2; ++n)
    for (int k = 0; k < 4; ++k)
      for (std::int64_t i = 0; i < p * q; ++i)
        y.push_back(static_cast<float>(
            reference(of, Pass::forward, host_image, host_filter, n, k, i / q, i % q).value));
  const auto error = [&] {
    const auto buffer = on_device(y);
    result.data = buffer.get();
    const bench::cuda::DeviceComparison found;
    check(sampled_error(of, Pass::forward, image, filter, result, result.count(), 3, found.get(), nullptr),
          "comparing");
    return testing_gpu::error_of(found);
  };
  EXPECT_LT(error(), 1e-6);
  y[77] += 0.01F;
  EXPECT_GT(error(), 1e-4);
}

// Attention and its gradients on the host, by their definition.
struct HostAttention {
  int length, depth;
  bool causal;
  std::vector<double> q, k, v, d_out, out, d_q, d_k, d_v;

  HostAttention(int of_length, int of_depth, bool is_causal, const std::vector<std::vector<double>>& inputs)
      : length(of_length),
        depth(of_depth),
        causal(is_causal),
        q(inputs[0]),
        k(inputs[1]),
        v(inputs[2]),
        d_out(inputs[3]),
        out(q.size()),
        d_q(q.size()),
        d_k(q.size()),
        d_v(q.size()) {
    const double scale = 1 / std::sqrt(static_cast<double>(depth));
    for (int i = 0; i < length; ++i) {
      const int keys = causal ? i + 1 : length;
      std::vector<double> p(keys), d_p(keys);
      double sum = 0;
      for (int j = 0; j < keys; ++j) sum += p[j] = std::exp(scale * dot(q, i, k, j));
      double together = 0;
      for (int j = 0; j < keys; ++j) {
        p[j] /= sum;
        d_p[j] = dot(d_out, i, v, j);
        together += p[j] * d_p[j];
      }
      for (int j = 0; j < keys; ++j)
        for (int d = 0; d < depth; ++d) {
          const double slope = scale * p[j] * (d_p[j] - together);
          out[i * depth + d] += p[j] * v[j * depth + d];
          d_v[j * depth + d] += p[j] * d_out[i * depth + d];
          d_q[i * depth + d] += slope * k[j * depth + d];
          d_k[j * depth + d] += slope * q[i * depth + d];
        }
    }
  }
  double dot(const std::vector<double>& left, int row, const std::vector<double>& right, int other) const {
    double sum = 0;
    for (int d = 0; d < depth; ++d) sum += left[row * depth + d] * right[other * depth + d];
    return sum;
  }
};

TEST_F(LibraryReference, attention_errors_are_those_of_the_definition) {
  using kernels::attention::Errors;
  constexpr int length = 150, depth = 16;
  for (const bool causal : {false, true}) {
    std::vector<DeviceBuffer<unsigned char>> inputs;
    std::vector<std::vector<double>> values;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      inputs.push_back(filled(Element::fp16, 2UL * length * depth, seed));
      const auto host = read_back(inputs.back());
      values.emplace_back();
      for (int i = 0; i < length * depth; ++i)  // the second head
        values.back().push_back(kernels::load(host.data(), Element::fp16, length * depth + i));
    }
    const HostAttention wanted(length, depth, causal, values);
    const auto rounded = [&](const std::vector<double>& of, std::size_t spoiled) {
      std::vector<std::uint16_t> both(2UL * length * depth, 0);
      for (std::size_t i = 0; i < of.size(); ++i)
        both[std::size_t{length} * depth + i] = static_cast<std::uint16_t>(
            kernels::narrowed<5, 10>(static_cast<float>(of[i]) + (i == spoiled ? 0.25F : 0.0F)));
      return on_device(both);
    };
    const auto errors = [&](std::size_t spoiled) {
      const auto out = rounded(wanted.out, spoiled), d_q = rounded(wanted.d_q, spoiled);
      const auto d_k = rounded(wanted.d_k, spoiled), d_v = rounded(wanted.d_v, spoiled);
      const DeviceBuffer<double> scratch(kernels::attention::scratch_doubles({1, 2, length, depth, causal}));
      const DeviceValue<Errors> found;
      check(kernels::attention::head_errors({1, 2, length, depth, causal},
                                            {Element::fp16, inputs[0].get(), inputs[1].get(), inputs[2].get(),
                                             out.get(), inputs[3].get(), d_q.get(), d_k.get(), d_v.get()},
                                            1, 7, scratch.get(), found.get(), nullptr),
            "comparing");
      return found.read(nullptr);
    };
    const double tolerance = kernels::attention::tolerance(0x1p-11);
    const Errors right = errors(std::size_t{length} * depth);
    EXPECT_LT(bench::cuda::error_of(right.out), tolerance);
    EXPECT_LT(bench::cuda::error_of(right.d_q), tolerance);
    EXPECT_LT(bench::cuda::error_of(right.d_k), tolerance);
    EXPECT_LT(bench::cuda::error_of(right.d_v), tolerance);
    const Errors wrong = errors(length * depth / 2);
    EXPECT_GT(bench::cuda::error_of(wrong.out), tolerance);
    EXPECT_GT(bench::cuda::error_of(wrong.d_q), tolerance);
    EXPECT_GT(bench::cuda::error_of(wrong.d_k), tolerance);
    EXPECT_GT(bench::cuda::error_of(wrong.d_v), tolerance);
  }
}

TEST_F(LibraryReference, spectra_are_compared_with_one_peak_each) {
  kernels::fft::Shape shape;
  shape.n[1] = 4;
  shape.n[2] = 8;
  shape.batch = 3;
  std::vector<float> spectrum(2UL * 32 * 3, 0);
  for (int batch = 0; batch < 3; ++batch)
    spectrum[2 * (32UL * batch + kernels::fft::wave_bin(shape, batch, 7))] = 32;
  const auto error = [&] {
    const auto data = on_device(spectrum);
    const bench::cuda::DeviceComparison found;
    check(kernels::fft::spectrum_error(data.get(), shape, 7, found.get(), nullptr), "comparing");
    return testing_gpu::error_of(found);
  };
  EXPECT_EQ(error(), 0);
  spectrum[11] += 1;
  EXPECT_NEAR(error(), 1.0 / 32, 1e-6);
  spectrum[11] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isinf(error()));
}

TEST_F(LibraryReference, round_trips_are_compared_with_the_input) {
  for (const Element type : {Element::fp32, Element::fp64}) {
    kernels::fft::Shape shape;
    shape.n[2] = 1;  // then a transform is the identity
    shape.batch = 1000;
    shape.type = type;
    const auto data = filled(type, 2000, 5);
    struct Sums {
      double off, all;
    };
    const DeviceValue<Sums> sums;
    const auto compare = [&](std::uint64_t seed) {
      check(kernels::fft::round_trip_sums(data.get(), shape, seed, reinterpret_cast<double*>(sums.get()),
                                          nullptr),
            "comparing");
      return sums.read(nullptr);
    };
    EXPECT_EQ(compare(5).off, 0);
    EXPECT_NEAR(compare(5).all, 2000.0 / 3, 60);
    EXPECT_GT(compare(6).off, 500);
  }
}

TEST_F(LibraryReference, layer_norm_error_finds_a_wrong_row) {
  constexpr std::int64_t rows = 7, columns = 300;
  const auto x = filled(Element::fp32, rows * columns, 1);
  const auto scale = filled(Element::fp32, columns, 2);
  const auto bias = filled(Element::fp32, columns, 3);
  const auto host = read_back(x);
  std::vector<float> y;
  for (std::int64_t row = 0; row < rows; ++row) {
    double mean = 0, variance = 0;
    const auto at = [&](std::int64_t i) {
      return kernels::load(host.data(), Element::fp32, row * columns + i);
    };
    for (std::int64_t i = 0; i < columns; ++i) mean += at(i) / columns;
    for (std::int64_t i = 0; i < columns; ++i) variance += (at(i) - mean) * (at(i) - mean) / columns;
    for (std::int64_t i = 0; i < columns; ++i)
      y.push_back(static_cast<float>((at(i) - mean) / std::sqrt(variance + 1e-5) *
                                         kernels::uniform(2, static_cast<std::uint64_t>(i)) +
                                     kernels::uniform(3, static_cast<std::uint64_t>(i))));
  }
  const auto error = [&] {
    const auto result = on_device(y);
    const bench::cuda::DeviceComparison found;
    check(kernels::normalization::layer_norm_error(
              {Element::fp32, x.get(), result.get(), reinterpret_cast<const float*>(scale.get()),
               reinterpret_cast<const float*>(bias.get()), rows, columns, 1e-5},
              rows, 3, found.get(), nullptr),
          "comparing");
    return testing_gpu::error_of(found);
  };
  EXPECT_LT(error(), kernels::normalization::layer_norm_tolerance());
  y[1000] += 0.01F;
  EXPECT_GT(error(), kernels::normalization::layer_norm_tolerance());
}

TEST_F(LibraryReference, kernels_that_ran_are_named_or_it_is_said_why_not) {
  const DeviceBuffer<float> data(1000);
  const bench::cuda::Stream stream;
  const bench::Definition definition = bench::define("kernels", "seen")
                                           .isolates("x")
                                           .bad_value("x")
                                           .custom_metrics({"launch"})
                                           .body([](bench::Trial&) {});
  const bench::Instance instance{&definition, {}, "kernels/seen"};
  const bench::Trial trial(instance, {}, 1);
  for (int pass = 0; pass < 2; ++pass) {
    const auto seen = bench::cuda::kernels_of(trial, stream.get(), [&](cudaStream_t on) {
      check(kernels::fill_elements(data.get(), Element::fp32, 1000, 1, on), "filling");
    });
    if (seen.names.empty()) {
      EXPECT_FALSE(seen.unknown_because.empty());
      GTEST_SKIP() << "kernel names unknown: " << seen.unknown_because;
    }
    ASSERT_EQ(seen.names.size(), 1U);
    EXPECT_NE(seen.names[0].find("fill_kernel"), std::string::npos) << seen.names[0];
  }
}

}  // namespace
