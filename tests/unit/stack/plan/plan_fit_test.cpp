#include "stack/plan/plan_fit.hpp"

#include <gtest/gtest.h>

#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using world::v;

const Tables& t() {
  static const Tables made = world::tables();
  return made;
}

struct DriverCudaCase {
  const char* driver;
  const char* cuda;
  Fit fit;
  const char* limit;
};

class DriverCuda : public testing::TestWithParam<DriverCudaCase> {};

TEST_P(DriverCuda, IsJudged) {
  const PairFit pair = fit_driver_cuda(t(), v(GetParam().driver), v(GetParam().cuda));
  EXPECT_EQ(pair.fit, GetParam().fit) << pair.reason;
  EXPECT_EQ(pair.limit, GetParam().limit) << pair.reason;
  EXPECT_FALSE(pair.reason.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Table, DriverCuda,
    testing::Values(
        DriverCudaCase{"580.65.06", "13.0", Fit::works, ""},          // its own
        DriverCudaCase{"580.65.05", "13.0", Fit::limited, "driver"},  // one patch before it
        DriverCudaCase{"610.43.02", "11.8", Fit::works, ""},          // newer driver, older CUDA
        DriverCudaCase{"570.26", "12.8.1", Fit::works, ""},           // the release's first driver counts
        DriverCudaCase{"535.104.05", "12.8", Fit::limited, "driver"},
        DriverCudaCase{"525.60.13", "12.8", Fit::limited, "driver"},  // the very minimum
        DriverCudaCase{"525.60.12", "12.8", Fit::fails, "driver"},
        DriverCudaCase{"470.82", "12.0", Fit::fails, "driver"},
        DriverCudaCase{"570.124.06", "13.0", Fit::fails, "driver"},  // another major version
        DriverCudaCase{"580", "13.0", Fit::works, ""},               // a branch is its newest release
        DriverCudaCase{"418.40.04", "10.2", Fit::fails, "driver"},   // before minor-version compatibility
        DriverCudaCase{"440.33", "10.2", Fit::works, ""},
        DriverCudaCase{"580.65.06", "12.7", Fit::works, ""},        // no such row, but a newer one is reached
        DriverCudaCase{"580.65.06", "13.9", Fit::unknown, ""},      // newer than the table
        DriverCudaCase{"575.57.08", "13.9", Fit::fails, "driver"},  // whatever 13.9 is, CUDA 13 needs 580
        DriverCudaCase{"610.43.02", "14.0", Fit::unknown, ""},
        DriverCudaCase{"610.43.02", "13", Fit::unknown, ""}));

struct VgpuCase {
  const char* guest;
  const char* host;
  Fit fit;
};
class Vgpu : public testing::TestWithParam<VgpuCase> {};

TEST_P(Vgpu, IsJudgedByTheTablesOfThisBuild) {
  const PairFit pair = fit_vgpu(tables(), v(GetParam().guest), v(GetParam().host));
  EXPECT_EQ(pair.fit, GetParam().fit) << pair.reason;
  EXPECT_FALSE(pair.reason.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Table, Vgpu,
    testing::Values(VgpuCase{"580.65.06", "580.65.05", Fit::works}, VgpuCase{"580.65.06", "19", Fit::works},
                    VgpuCase{"570.124.06", "19", Fit::unknown},      // R570 is 18: not read
                    VgpuCase{"525.60.13", "580.65.05", Fit::fails},  // four releases apart
                    VgpuCase{"580.65.06", "525.60.12", Fit::fails},  // newer than its host
                    VgpuCase{"550.54.15", "570.124.03", Fit::unknown}, VgpuCase{"999.1", "19", Fit::unknown},
                    VgpuCase{"580.65.06", "999.1", Fit::unknown}));

TEST(DriverText, HasTwoDigitsAPart) {
  EXPECT_EQ(driver_text(v("580.65.06")), "580.65.06");
  EXPECT_EQ(driver_text(v("570.124.06")), "570.124.06");
  EXPECT_EQ(driver_text(v("570")), "570");
}

TEST(DriverCuda, SaysWhatMinorVersionCompatibilityLacks) {
  const PairFit pair = fit_driver_cuda(t(), v("535.104.05"), v("12.8"));
  EXPECT_EQ(pair.first, "driver 535.104.05");
  EXPECT_EQ(pair.second, "CUDA 12.8");
  EXPECT_NE(pair.reason.find("error 222"), std::string::npos);
  EXPECT_EQ(pair.remedy, "Install driver 570.26 or newer.");
  EXPECT_EQ(pair.sources, (std::vector<std::string>{"vendor's page", "vendor's page"}));
}

GpuModel any_board(const char* capability) {
  return {std::string("compute capability ") + capability, v(capability), Market::unknown};
}

TEST(DriverGpu, KnowsFirstAndLast) {
  EXPECT_EQ(fit_driver_gpu(t(), v("580.65.06"), any_board("7.0")).fit, Fit::works);
  const PairFit gone = fit_driver_gpu(t(), v("590.44.01"), any_board("7.0"));
  EXPECT_EQ(gone.fit, Fit::fails);
  EXPECT_EQ(gone.limit, "gpu");
  EXPECT_EQ(gone.remedy, "Stay on driver branch 580, or replace the GPU.");
  EXPECT_EQ(fit_driver_gpu(t(), v("570.26"), any_board("10.0")).fit, Fit::works);
  EXPECT_EQ(fit_driver_gpu(t(), v("565.57.01"), any_board("10.0")).fit, Fit::fails);
  EXPECT_EQ(fit_driver_gpu(t(), v("520.61.05"), any_board("9.0")).fit, Fit::works)
      << "CUDA 11.8's own driver";
  EXPECT_EQ(fit_driver_gpu(t(), v("515.65.01"), any_board("9.0")).fit, Fit::unknown) << "no source says";
  EXPECT_EQ(fit_driver_gpu(t(), v("580.65.06"), any_board("13.0")).fit, Fit::unknown);
}

TEST(DriverGpu, ARowThatNobodyReadConcludesNothing) {
  const PairFit pair = fit_driver_gpu(t(), v("565.57.01"), any_board("12.0"));
  EXPECT_EQ(pair.fit, Fit::unknown);
  EXPECT_NE(pair.reason.find("was not read in a source"), std::string::npos);
}

TEST(CudaGpu, KnowsFirstAndLast) {
  EXPECT_EQ(fit_cuda_gpu(t(), v("12.9"), v("7.0")).fit, Fit::works);
  EXPECT_EQ(fit_cuda_gpu(t(), v("13.0"), v("7.0")).fit, Fit::fails);
  EXPECT_EQ(fit_cuda_gpu(t(), v("13.0"), v("7.0")).limit, "gpu");
  EXPECT_EQ(fit_cuda_gpu(t(), v("12.4"), v("10.0")).fit, Fit::limited);
  EXPECT_EQ(fit_cuda_gpu(t(), v("12.4"), v("10.0")).limit, "cuda");
  EXPECT_EQ(fit_cuda_gpu(t(), v("12.8"), v("10.0")).fit, Fit::works);
  EXPECT_EQ(fit_cuda_gpu(t(), v("13.0"), v("11.0")).fit, Fit::unknown);
}

TEST(CudaGpu, CodeOfAnOlderGpuOfItsFamilyRunsAsItIs) {
  const Tables& real = tables();
  const PairFit ada = fit_cuda_gpu(real, v("11.1"), v("8.9"));
  EXPECT_EQ(ada.fit, Fit::works);
  EXPECT_NE(ada.reason.find("for compute capability 8.6 runs there as machine code, not tuned"),
            std::string::npos)
      << ada.reason;
  EXPECT_EQ(fit_cuda_gpu(real, v("12.8"), v("12.1")).fit, Fit::works);
  EXPECT_EQ(fit_cuda_gpu(real, v("9.0"), v("7.5")).fit, Fit::works);
  EXPECT_EQ(fit_cuda_gpu(real, v("11.1"), v("8.7")).fit, Fit::limited) << "a Tegra runs no desktop's code";
  EXPECT_EQ(fit_cuda_gpu(real, v("11.1"), v("9.0")).fit, Fit::limited);
  EXPECT_EQ(related_code(real, v("11.8"), v("8.9")), std::nullopt) << "it generates the GPU's own";
}

TEST(CompilerCuda, IsNeitherTooNewNorTooOld) {
  EXPECT_EQ(fit_compiler_cuda(t(), "gcc", v("14.2.0"), v("12.8")).fit, Fit::works);
  const PairFit newer = fit_compiler_cuda(t(), "gcc", v("15.1"), v("12.8"));
  EXPECT_EQ(newer.fit, Fit::fails);
  EXPECT_EQ(newer.remedy, "Install gcc 14 and name it with nvcc -ccbin.");
  EXPECT_EQ(fit_compiler_cuda(t(), "gcc", v("5.4"), v("12.8")).fit, Fit::fails);
  EXPECT_EQ(fit_compiler_cuda(t(), "gcc", v("12"), v("14.0")).fit, Fit::unknown);
  EXPECT_EQ(fit_compiler_cuda(t(), "clang", v("19"), v("12.8")).fit, Fit::unknown);
}

TEST(Cudnn, FitsTheCudaOfItsMatrix) {
  EXPECT_EQ(fit_cudnn_cuda(t(), v("9.17.0"), v("13.0")).fit, Fit::works);
  EXPECT_EQ(fit_cudnn_cuda(t(), v("9.17.2"), v("12.8")).fit, Fit::works)
      << "a patch level of a known release";
  EXPECT_EQ(fit_cudnn_cuda(t(), v("9.5.1"), v("12.8")).fit, Fit::unknown)
      << "same major version, not in the list";
  const PairFit newer = fit_cudnn_cuda(t(), v("9.5.1"), v("13.0"));
  EXPECT_EQ(newer.fit, Fit::fails);
  EXPECT_EQ(newer.limit, "cudnn");
  EXPECT_EQ(fit_cudnn_cuda(t(), v("9.5.1"), v("11.8")).fit, Fit::unknown) << "the table holds no row for it";
  EXPECT_EQ(fit_cudnn_cuda(t(), v("9.30.0"), v("13.0")).reason,
            "The tables of this build end with cuDNN 9.17.0.");
  EXPECT_EQ(fit_cudnn_cuda(t(), v("9.8.0"), v("12.8")).reason, "The tables have no row for cuDNN 9.8.");
  EXPECT_EQ(fit_cudnn_cuda(t(), v("8.9.6"), v("13.0")).fit, Fit::unknown) << "nobody read that row";
}

TEST(Cudnn, FitsNewGpusOnlyWithTheCudaThatItsMatrixNamesForThem) {
  EXPECT_EQ(fit_cudnn_gpu(tables(), v("9.10.2"), v("12.8"), v("10.0")).fit, Fit::works);
  EXPECT_EQ(fit_cudnn_gpu(tables(), v("9.10.2"), v("12"), v("10.0")).fit, Fit::works) << "of any CUDA 12";
  EXPECT_EQ(fit_cudnn_gpu(tables(), v("9.10.2"), v("12.4"), v("9.0")).fit, Fit::works);
  const PairFit old_cuda = fit_cudnn_gpu(tables(), v("9.10.2"), v("12.6"), v("12.0"));
  EXPECT_EQ(old_cuda.fit, Fit::fails);
  EXPECT_EQ(old_cuda.remedy, "Use CUDA 12.8 to 12.9.");
}

TEST(Cudnn, FitsTheGpusOfItsMatrix) {
  EXPECT_EQ(fit_cudnn_gpu(t(), v("9.17.0"), v("12.8"), v("9.0")).fit, Fit::works);
  EXPECT_EQ(fit_cudnn_gpu(t(), v("9.17.0"), v("12.8"), v("7.0")).fit, Fit::fails)
      << "code for 7.5 is too new";
  EXPECT_EQ(fit_cudnn_gpu(t(), v("9.17.0"), v("12.8"), v("10.3")).fit, Fit::unknown)
      << "10.0 is of its family";
  const PairFit older_gpu = fit_cudnn_gpu(t(), v("9.17.0"), std::nullopt, v("6.1"));
  EXPECT_EQ(older_gpu.fit, Fit::fails);
  EXPECT_EQ(older_gpu.remedy, "Use an older cuDNN, one that still supports this GPU.");
  const PairFit new_gpu = fit_cudnn_gpu(t(), v("9.5.1"), v("12.4"), v("10.0"));
  EXPECT_EQ(new_gpu.fit, Fit::fails);
  EXPECT_EQ(new_gpu.remedy, "Use a newer cuDNN.");
  EXPECT_EQ(fit_cudnn_gpu(t(), v("9.5.1"), v("13.0"), v("9.0")).fit, Fit::unknown);
}

TEST(Cudnn, AMatrixOfServersTellsNothingOfAJetson) {
  EXPECT_EQ(fit_cudnn_gpu(t(), v("9.17.0"), v("13.0"), v("11.0")).fit, Fit::unknown);
  EXPECT_EQ(fit_cudnn_gpu(t(), v("9.5.1"), v("12.4"), v("8.7")).fit, Fit::unknown);
}

TEST(Cudnn, NeedsItsDriver) {
  EXPECT_EQ(fit_cudnn_driver(t(), v("9.17.0"), v("13.0"), v("580.65.06")).fit, Fit::works);
  EXPECT_EQ(fit_cudnn_driver(t(), v("9.17.0"), v("13.0"), v("570.124.06")).fit, Fit::fails);
  EXPECT_EQ(fit_cudnn_driver(t(), v("9.17.0"), v("12.8"), v("525.60.13")).fit, Fit::works);
  EXPECT_EQ(fit_cudnn_driver(t(), v("9.30.0"), v("13.0"), v("580.65.06")).fit, Fit::unknown);
}

TEST(Nccl, IsListedWithCuda) {
  EXPECT_EQ(fit_nccl_cuda(t(), v("2.27.3"), 13).fit, Fit::works);
  EXPECT_EQ(fit_nccl_cuda(t(), v("2.26.2"), 12).fit, Fit::works) << "2.26 covers its patch levels";
  const PairFit old_nccl = fit_nccl_cuda(t(), v("2.21.5"), 13);
  EXPECT_EQ(old_nccl.fit, Fit::fails);
  EXPECT_EQ(old_nccl.remedy, "Use a newer NCCL, built for CUDA 13.");
  EXPECT_EQ(fit_nccl_cuda(t(), v("2.27.3"), 11).remedy, "Use an older NCCL, built for CUDA 11.");
  EXPECT_EQ(fit_nccl_cuda(t(), v("2.4.8"), 10).fit, Fit::unknown);
  for (const char* const newer : {"2.99.1", "3.0", "9"})
    EXPECT_EQ(fit_nccl_cuda(tables(), v(newer), 13).fit, Fit::unknown)
        << newer << " is newer than any source";
}

}  // namespace
}  // namespace gpugauge::stack
