#include "baseline/digest.hpp"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>

namespace gpugauge::baseline {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto could not compute a SHA-256 digest");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < length; ++i) {
    out += digits[digest[i] >> 4];
    out += digits[digest[i] & 0xf];
  }
  return out;
}

}  // namespace gpugauge::baseline
