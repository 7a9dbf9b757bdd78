#include "run/identity.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string_view>

#include <fmt/core.h>
#include <sys/random.h>

#include "result/error.hpp"

namespace gpugauge::run {

std::string make_id(std::uint64_t unix_milliseconds, std::uint16_t random_high, std::uint64_t random_low) {
  constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string id(26, '0');
  std::uint64_t time = unix_milliseconds;
  for (std::size_t i = 10; i-- > 0; time >>= 5U) id[i] = alphabet[time & 31U];
  for (std::size_t i = 26; i-- > 10;) {
    id[i] = alphabet[random_low & 31U];
    random_low = (random_low >> 5U) | (static_cast<std::uint64_t>(random_high & 31U) << 59U);
    random_high = static_cast<std::uint16_t>(random_high >> 5U);
  }
  return id;
}

std::string make_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return make_id(static_cast<std::uint64_t>(milliseconds), static_cast<std::uint16_t>(random_bits()),
                 random_bits());
}

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  ssize_t got = -1;
  do got = ::getrandom(&bits, sizeof bits, 0);
  while (got < 0 && errno == EINTR);
  if (got != sizeof bits)
    throw result::FileError(fmt::format("the kernel gives no random numbers: {}", std::strerror(errno)));
  return bits;
}

std::string boot_id(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

}  // namespace gpugauge::run
