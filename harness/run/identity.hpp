// What names a run: its id, its time, the boot it ran in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace gpugauge::run {

/// A ULID: 48 bits of Unix milliseconds and 80 random bits in Crockford's base 32, 26 characters. Ids sort by
/// time to the millisecond.
std::string make_id();
/// The same of given parts: the time in ten characters, then 80 random bits, 16 and 64.
std::string make_id(std::uint64_t unix_milliseconds, std::uint16_t random_high, std::uint64_t random_low);

/// 64 random bits of the kernel. std::random_device would need glibc 2.36 where libstdc++ is linked
/// statically. Throws result::FileError when the kernel gives none.
std::uint64_t random_bits();

/// The time now, UTC, "2025-01-31T12:00:00.123Z" (RFC 3339).
std::string utc_now();

/// Differs from boot to boot; "" where the kernel does not tell.
std::string boot_id(const std::filesystem::path& root = "/");

}  // namespace gpugauge::run
