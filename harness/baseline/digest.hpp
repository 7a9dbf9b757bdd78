// SHA-256 in the manifest's form.
#pragma once

#include <string>
#include <string_view>

namespace gpugauge::baseline {

/// 64 lower-case hex digits. Throws std::runtime_error when the library refuses SHA-256.
std::string sha256(std::string_view bytes);

}  // namespace gpugauge::baseline
