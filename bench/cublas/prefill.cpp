#include "cublas/product.hpp"

namespace gpugauge::bench::cublas {
namespace {

Definition prefill(const Arithmetic& arithmetic, const char* isolates) {
  return define_product(GPUGAUGE_BENCH_OP, arithmetic)
      .isolates(isolates)
      .bad_value(
          "as for squares; only some layers slow: the heuristic chose another algorithm for their shape");
}

const Registration with_bf16{
    prefill(bf16,
            "The linear layers of a Llama 3.1 70B block (hidden 8192, feed-forward 28672) in bf16 while a "
            "prompt of 4096 tokens is read")
        .axis("layer", {layers[0].name, layers[1].name, layers[2].name, layers[3].name})
        .axis("tokens", {"4096"})
        .from(Depth::deep, "layer", {layers[2].name})
        .body([](Trial& trial) { measure_layer(trial, bf16); })};

const Registration with_fp8{
    prefill(e4m3,
            "The widest linear layer of a Llama 3.1 70B block (hidden 8192, feed-forward 28672) in fp8 while "
            "a prompt of 4096 tokens is read")
        .axis("layer", {layers[2].name})
        .axis("tokens", {"4096"})
        .body([](Trial& trial) { measure_layer(trial, e4m3); })};

}  // namespace
}  // namespace gpugauge::bench::cublas
