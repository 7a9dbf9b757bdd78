// What identifies a run: its id, and the boot it ran in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace gpugauge::run {

/// A ULID: 48 bits of Unix milliseconds and 80 random bits in Crockford's base 32, 26 characters. Ids sort by
/// time to the millisecond.
std::string make_id();
/// Builds the id from given parts: the time, then 16 and 64 random bits.
std::string make_id(std::uint64_t unix_milliseconds, std::uint16_t random_high, std::uint64_t random_low);

/// 64 random bits from the kernel. We avoid std::random_device: it needs glibc 2.36 where libstdc++ is linked
/// statically. Throws result::FileError if the kernel gives none.
std::uint64_t random_bits();

/// An id that differs from boot to boot; "" if the kernel does not give one.
std::string boot_id(const std::filesystem::path& root = "/");

}  // namespace gpugauge::run
