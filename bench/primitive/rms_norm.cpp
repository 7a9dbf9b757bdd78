#include "primitive/rows.hpp"

namespace gpugauge::bench::primitive {
namespace {

const Registration registered{
    define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP)
        .variant("rows_in_registers")
        .isolates("RMS norm over the rows of an fp32 matrix far larger than L2, each row held in a block's "
                  "registers: one reading and one writing of device memory")
        .bad_value("a memory clock below its maximum, ECC or row-remapping trouble, a low SM clock, another "
                   "process on the GPU, a MIG slice")
        .axis("columns", {"1024", "4096", "16384"})
        .quantity(Quantity::bandwidth, "primitive")
        .statistics({Statistic::median, Statistic::mean})
        .batch_seconds(5e-3)
        .requires_gpu()
        .deterministic()
        .from(Depth::deep)
        .body([](Trial& trial) {
          measure_rows(
              trial,
              [](const RowInputs& in, cudaStream_t stream) {
                return kernels::primitive::rms_norm(in.from, in.gain, epsilon, in.to, in.rows, in.columns,
                                                    stream);
              },
              [](const RowInputs& in, int samples, kernels::Comparison* error, cudaStream_t stream) {
                return kernels::primitive::rms_norm_error(in.from, in.gain, epsilon, in.to, in.rows,
                                                          in.columns, samples, error, stream);
              },
              kernels::primitive::norm_tolerance);
        })};

}  // namespace
}  // namespace gpugauge::bench::primitive
