#include <string>
#include <vector>

#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

Definition decode(const Arithmetic& arithmetic, const char* isolates) {
  return define_product(GPUGAUGE_BENCH_OP, arithmetic)
      .isolates(isolates)
      .bad_value(
          "lower memory bandwidth; a heuristic that chose too few blocks to read with, or split the long "
          "sums of the layer down badly")
      .quantity(Quantity::bandwidth, "hbm")
      .batch_seconds(2e-3)
      .axis("layer", {layers[0].name, layers[1].name, layers[2].name, layers[3].name})
      .axis("tokens", {"1", "16"});
}

const Registration with_bf16{
    decode(
        bf16,
        "The linear layers of a Llama 3.1 70B block (hidden 8192, feed-forward 28672) in bf16 for the next "
        "token of 1 or 16 requests: each weight is read once and hardly used, so that memory bandwidth "
        "decides")
        .from(Depth::exhaustive, "layer", {layers[0].name, layers[3].name})
        .from(Depth::standard, "layer", {layers[2].name})
        .from(Depth::deep, "tokens", {"16"})
        .body([](Trial& trial) { measure_layer(trial, bf16); })};

const Registration with_fp8{
    decode(e4m3,
           "The linear layers of a Llama 3.1 70B block (hidden 8192, feed-forward 28672) in fp8 for the next "
           "token of 1 or 16 requests")
        .from(Depth::exhaustive, "layer", {layers[0].name, layers[1].name, layers[3].name})
        .from(Depth::exhaustive, "tokens", {"1"})
        .body([](Trial& trial) { measure_layer(trial, e4m3); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
