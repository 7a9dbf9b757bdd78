#include "judge/floors.hpp"

#include "judge/products.hpp"

namespace gpugauge::judge {

double product_floor(std::string_view capability, std::string_view products, std::string_view benchmark) {
  constexpr double usual = .6;
  constexpr double of_library = .5;
  constexpr double of_slow_instruction = .45;
  if (!faster_than_mma_sync(capability, products, benchmark).empty()) return of_slow_instruction;
  if (from_registers(benchmark)) return usual;
  return products == "gemm32" || products == "fp8" ? of_library : usual;
}

}  // namespace gpugauge::judge
