#include "kernels/primitive/attention.hpp"

#include <cmath>
#include <random>

#include "gpu_test.hpp"
#include "kernels/support/fill.hpp"

namespace {

using namespace gpugauge;
using bench::cuda::check;
using bench::cuda::DeviceBuffer;
using bench::cuda::DeviceValue;
using kernels::Bf16;
using kernels::primitive::AttentionShape;

class AttentionGpu : public testing_gpu::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && bench::cuda::device().compute_capability < 80)
      GTEST_SKIP() << "mma.sync with bf16 needs compute capability 8.0 or later";
  }
  struct Tensors {
    explicit Tensors(const AttentionShape& shape)
        : q(shape.elements()), k(shape.elements()), v(shape.elements()), o(shape.elements()) {
      check(kernels::fill_uniform(q.get(), q.count(), 1, nullptr), "filling");
      check(kernels::fill_uniform(k.get(), k.count(), 2, nullptr), "filling");
      check(kernels::fill_uniform(v.get(), v.count(), 3, nullptr), "filling");
      check(kernels::poison(o.get(), o.bytes(), nullptr), "poisoning");
    }
    double error(const AttentionShape& shape, int samples) const {
      const bench::cuda::DeviceComparison error;
      check(kernels::primitive::attention_error(q.get(), k.get(), v.get(), o.get(), shape, samples, 7,
                                                error.get(), nullptr),
            "comparing");
      return testing_gpu::error_of(error);
    }
    DeviceBuffer<Bf16> q, k, v, o;
  };
};

TEST_F(AttentionGpu, equals_fp64_on_every_length_and_repeats_bit_for_bit) {
  std::vector<int> lengths{1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 161};
  for (const int length : {1000, 2048}) lengths.push_back(testing_gpu::of_size(length, length / 4));
  std::mt19937 random(5);
  const unsigned most = testing_gpu::of_size(2500U, 300U);
  for (int i = 0; i < 4; ++i) lengths.push_back(1 + static_cast<int>(random() % most));
  const DeviceValue<unsigned long long> sum;
  for (const int length : lengths)
    for (const int head_dim : {64, 128})
      for (const bool causal : {false, true}) {
        const AttentionShape shape{3, length, head_dim, causal};
        const Tensors tensors(shape);
        std::vector<unsigned long long> sums;
        for (int repeat = 0; repeat < 2; ++repeat) {
          check(kernels::poison(tensors.o.get(), tensors.o.bytes(), nullptr), "poisoning");
          check(kernels::primitive::attention(tensors.q.get(), tensors.k.get(), tensors.v.get(),
                                              tensors.o.get(), shape, nullptr),
                "attention");
          check(kernels::checksum(tensors.o.get(), tensors.o.bytes(), sum.get(), nullptr), "summing");
          sums.push_back(sum.read(nullptr));
        }
        EXPECT_EQ(sums[0], sums[1]) << length << " x " << head_dim << (causal ? " causal" : " full");
        EXPECT_LE(tensors.error(shape, length), kernels::primitive::attention_tolerance)
            << length << " x " << head_dim << (causal ? " causal" : " full");
      }
}

TEST_F(AttentionGpu, an_output_that_was_not_written_never_passes) {
  const AttentionShape shape{1, 64, 64, false};
  EXPECT_TRUE(std::isinf(Tensors(shape).error(shape, 64)));
}

TEST_F(AttentionGpu, refuses_what_it_cannot_do) {
  const Tensors t(AttentionShape{1, 64, 64, false});
  const auto run = [&](AttentionShape shape, int shift) {
    return kernels::primitive::attention(t.q.get() + shift, t.k.get(), t.v.get(), t.o.get(), shape, nullptr);
  };
  EXPECT_EQ(run({1, 64, 96, false}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(run({0, 64, 64, false}, 0), cudaErrorInvalidValue);
  EXPECT_EQ(run({1, 8, 64, false}, 1), cudaErrorInvalidValue);
}

}  // namespace
