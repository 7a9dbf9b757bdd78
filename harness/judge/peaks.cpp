// The table of peak rates per SM and clock, with sources.
#include "judge/peaks.hpp"

#include <algorithm>
#include <array>

#include "result/gpu_model.hpp"
#include "result/instructions.hpp"

namespace gpugauge::judge {
namespace {

constexpr std::string_view guide =
    "CUDA C++ Programming Guide, arithmetic throughput; Tensor Core rates as in PyTorch and XProf's hardware "
    "tables";
constexpr std::string_view guide_alone = "CUDA C++ Programming Guide, arithmetic throughput";
/// No public source gives this figure. The large instruction, m16n8k16, reached 250.8 of the guide's 256
/// there.
constexpr std::string_view small_fp64_seen =
    "half of what larger instructions do, as recorded on an H100: 125.2 of 128 in registers";
constexpr std::string_view guide_and_datasheet =
    "CUDA C++ Programming Guide, arithmetic throughput; Tensor Core rates as in the HGX data sheets";
constexpr std::string_view guide_and_rtx_pro =
    "CUDA C++ Programming Guide, arithmetic throughput; Tensor Core rates as published of the RTX PRO 6000 "
    "Blackwell (188 SMs, 2.617 GHz), which are not cut";

/// 0 = no such unit, or no confirmed source: then no verdict fails by it. Reduced cards of a compute
/// capability (tensor_core_share()) reach less; the full chip's figure is still an upper bound.
struct Row {
  std::string_view compute_capability;
  double gemm64, gemm32, gemmtf32, gemm16, fp8, int8;
  std::string_view source;
};

constexpr std::array table{
    Row{"7.0", 64, 128, 0, 1024, 0, 0, guide},
    Row{"7.5", 4, 128, 0, 1024, 0, 2048, guide},
    Row{"8.0", 128, 128, 1024, 2048, 0, 4096, guide},
    Row{"8.6", 4, 256, 512, 1024, 0, 2048, guide},
    Row{"8.9", 4, 256, 512, 1024, 2048, 2048, guide},
    Row{"9.0", 256, 256, 2048, 4096, 8192, 8192, guide_and_datasheet},
    Row{"10.0", 128, 256, 4096, 8192, 16384, 16384, guide_and_datasheet},
    // 10.3: public sources for the omitted figures are secondary or unconfirmed. (It does far less int8 than
    // fp8.)
    Row{"10.3", 0, 256, 4096, 8192, 16384, 0, guide_and_datasheet},
    Row{"12.0", 4, 256, 512, 1024, 2048, 2048, guide_and_rtx_pro},
};

double of_row(const Row& row, std::string_view products) {
  return products == "gemm64"     ? row.gemm64
         : products == "gemm32"   ? row.gemm32
         : products == "gemmtf32" ? row.gemmtf32
         : products == "gemm16"   ? row.gemm16
         : products == "fp8"      ? row.fp8
         : products == "int8"     ? row.int8
                                  : 0;
}

/// Whether public measurements put large library products above 65% of the row's figure: A100 bf16 87%, fp32
/// 94%; H100 and H200 bf16 80%, tf32 90%, fp32 80%, fp8 65% of the rate at the highest clock
/// (superbench-results, ml-engineering, gpu-flops-bench). No such figures were found for int8 and other
/// generations. The instructions of these products alone reach at least as much.
bool publicly_reached(std::string_view compute_capability, std::string_view products) {
  if (compute_capability != "8.0" && compute_capability != "9.0") return false;
  return products == "gemm32" || products == "gemmtf32" || products == "gemm16" || products == "fp8";
}

/// Rates without Tensor Cores (same guide); 0 as above. fp16 is the faster of fp16 and bf16. Dot products of
/// int8 (dp4a) do at most four products per fp32 instruction; no source gives their rate.
struct CudaCores {
  std::string_view compute_capability;
  double fp64, fp32, fp16, int32;
};

constexpr std::array cuda_cores{
    CudaCores{"7.0", 64, 128, 256, 128}, CudaCores{"7.5", 4, 128, 256, 128},
    CudaCores{"8.0", 64, 128, 512, 128}, CudaCores{"8.6", 4, 256, 256, 128},
    CudaCores{"8.9", 4, 256, 256, 128},  CudaCores{"9.0", 128, 256, 512, 128},
    CudaCores{"10.0", 128, 256, 512, 0}, CudaCores{"10.3", 0, 256, 512, 0},
    CudaCores{"12.0", 4, 256, 256, 0},
};

/// Turing without Tensor Cores, and cards with deliberately reduced arithmetic (CMP).
bool without_tensor_cores(std::string_view gpu_name) {
  constexpr std::array<std::string_view, 11> models{"GTX",   "CMP",   "T400",  "T500",  "T550", "T600",
                                                    "T1000", "T1200", "T2000", "MX450", "MX550"};
  return gpu_name.find("DGX Display") != std::string_view::npos ||
         std::any_of(models.begin(), models.end(),
                     [&](std::string_view model) { return result::has_word(gpu_name, model); });
}

/// Models below the rates of their compute capability, with fp32 sums. From data sheets and whitepapers:
/// GeForce RTX 3090 (82 SMs, 1.695 GHz) 35.6 TFLOP/s of tf32, 71 of bf16, 284 TOP/s of int8, which is the
/// full rate; L40 (142 SMs, 2.49 GHz) 90.5 of tf32, 181 of bf16, 362 of fp8 and int8; A10G (80 SMs, 1.71 GHz)
/// 35, 70 and 140; H20 (78 SMs, 1.98 GHz) 148 of bf16, 296 of fp8 and int8.
struct Cut {
  std::string_view model;
  double floats, int8;
};
constexpr double h20 = 148. / 633;  // 633 TFLOP/s of bf16 at the full rate
constexpr std::array cuts{Cut{"GeForce", .5, 1}, Cut{"H20", h20, h20}, Cut{"L20", .5, .5}, Cut{"L40", .5, .5},
                          Cut{"L40G", .5, .5},   Cut{"A10G", .5, .5},  Cut{"A10M", .5, .5}};

}  // namespace

std::optional<Peak> peak(std::string_view compute_capability, std::string_view products) {
  for (const Row& row : table) {
    if (row.compute_capability != compute_capability) continue;
    const double value = of_row(row, products);
    if (value > 0) return Peak{value, row.source, publicly_reached(compute_capability, products)};
  }
  return std::nullopt;
}

std::optional<Peak> instruction_peak(std::string_view compute_capability, std::string_view instruction) {
  if (instruction == result::fp64_mma_m8n8k4) {
    if (compute_capability == "9.0") return Peak{128, small_fp64_seen, false};
    return peak(compute_capability, "gemm64");
  }
  for (const CudaCores& row : cuda_cores) {
    if (row.compute_capability != compute_capability) continue;
    const double value = instruction == result::fp64_fma     ? row.fp64
                         : instruction == result::fp32_fma   ? row.fp32
                         : instruction == result::fp16x2_fma ? row.fp16
                         : instruction == result::int32_mad  ? row.int32
                                                             : 0;
    // fp32 products without Tensor Cores consist of this one instruction.
    const bool reached = instruction == result::fp32_fma && publicly_reached(compute_capability, "gemm32");
    if (value > 0) return Peak{value, guide_alone, reached};
  }
  return std::nullopt;
}

bool known_capability(std::string_view compute_capability) {
  return std::any_of(table.begin(), table.end(),
                     [&](const Row& row) { return row.compute_capability == compute_capability; });
}

std::optional<double> cuda_core_rate(std::string_view compute_capability, std::string_view products) {
  for (const CudaCores& row : cuda_cores) {
    if (row.compute_capability != compute_capability) continue;
    if (products == "gemmtf32") return row.fp32;
    if (products == "gemm16" || products == "fp8") return row.fp16;
    if (products == "int8") return 4 * row.fp32;
  }
  return std::nullopt;
}

bool shared_card(std::string_view gpu_name) {
  if (gpu_name.find("MIG ") != std::string_view::npos || gpu_name.find("GRID") != std::string_view::npos)
    return true;
  if (gpu_name.size() < 3 || std::string_view("ABCQ").find(gpu_name.back()) == std::string_view::npos)
    return false;
  const std::size_t dash = gpu_name.rfind('-');
  return dash != std::string_view::npos && dash + 2 < gpu_name.size() &&
         std::all_of(gpu_name.begin() + static_cast<std::ptrdiff_t>(dash) + 1, gpu_name.end() - 1,
                     [](char c) { return c >= '0' && c <= '9'; });
}

double tensor_core_share(std::string_view gpu_name, std::string_view products) {
  if (without_tensor_cores(gpu_name)) return 0;
  const bool floats = products == "gemmtf32" || products == "gemm16" || products == "fp8";
  if (!floats && products != "int8") return 1;
  for (const Cut& row : cuts)
    if (result::has_word(gpu_name, row.model)) return floats ? row.floats : row.int8;
  return 1;
}

}  // namespace gpugauge::judge
