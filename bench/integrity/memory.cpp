#include <fmt/format.h>

#include "integrity/amount.hpp"
#include "integrity/place.hpp"
#include "integrity/repeat.hpp"
#include "kernels/integrity/pattern.hpp"
#include "support/cuda/device.hpp"
#include "support/cuda/room.hpp"

namespace gpugauge::bench::integrity {
namespace {

std::size_t words_for(Trial& trial, bool all) {
  cuda::require_room(trial, least_screened_bytes + bytes_for_runtime);
  const GpuMemory gpu = cuda::memory_now();
  const std::size_t bytes = screened_bytes(gpu, all);
  if (bytes == 0)
    cuda::end_for_room(trial, "too little GPU memory is free for the least that is screened, 1 GiB",
                       least_screened_bytes + bytes_for_runtime);
  trial.note("share_of_memory",
             fmt::format("{:.3f}", static_cast<double>(bytes) / static_cast<double>(gpu.total)));
  return bytes / sizeof(std::uint64_t);
}

void memory(Trial& trial, bool all) {
  const cuda::DeviceBuffer<std::uint64_t> words(words_for(trial, all));
  const cuda::DeviceBuffer<kernels::integrity::Faults> device_faults(1);
  const cuda::Stream stream;
  cuda::check(kernels::integrity::reset_faults(device_faults.get(), stream.get()),
              "clearing the fault record");
  bool inverse = false;
  unsigned long long passes = 0;
  repeat_for_window(trial, [&] {
    for (int pass = 0; pass < 2; ++pass, ++passes, inverse = !inverse) {
      cuda::check(kernels::integrity::write_pattern(words.get(), words.count(), inverse, stream.get()),
                  "writing the pattern");
      cuda::check(kernels::integrity::check_pattern(words.get(), words.count(), inverse, device_faults.get(),
                                                    stream.get()),
                  "checking the pattern");
    }
    stream.synchronize();
  });
  kernels::integrity::Faults faults;
  cuda::check(
      cudaMemcpyAsync(&faults, device_faults.get(), sizeof faults, cudaMemcpyDeviceToHost, stream.get()),
      "reading the fault record");
  stream.synchronize();
  trial.note("bytes", fmt::format("{}", words.bytes()));
  trial.note("base_address", fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(words.get())));
  trial.verify("every word was looked at in every pass", faults.compared == passes * words.count());
  const std::string place = sentence_of(faults);
  if (!place.empty()) trial.note("place", place);
  trial.verify(place.empty() ? std::string("words that differ from the pattern")
                             : "words that differ from the pattern: " + place,
               static_cast<double>(faults.count), 0);
}

Definition screen(const Time& time, bool all) {
  Definition made = define(GPUGAUGE_BENCH_FAMILY, GPUGAUGE_BENCH_OP);
  made.variant(time.variant)
      .isolates(
          "Silent corruption in device memory and on the way to it: every word is written with a pattern "
          "of its "
          "own address and read back, then with its inverse, over up to 16 GiB (short) or what is free but a "
          "tenth of the memory and 256 MiB (long); where the memory is the host's, too, over half of what is "
          "free, up to 16 GiB")
      .bad_value(
          "memory cells, an address line or an L2 slice that is damaged where ECC is off or does not see "
          "it: "
          "take the GPU out of service. Addresses are virtual: they tell how wide the damage is, not which "
          "cell it is")
      .window_share(time.window_share)
      .custom_metrics({"integrity"})
      .requires_gpu()
      .body([all](Trial& trial) { memory(trial, all); });
  if (time.sustained) made.sustained();
  return made;
}

const Registration registered_short{screen(short_time, false).from(Depth::standard)};
const Registration registered_long{screen(long_time, true).from(Depth::deep)};

}  // namespace
}  // namespace gpugauge::bench::integrity
