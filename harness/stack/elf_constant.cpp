// Interprets the machine code of functions that only return constants.
#include "stack/elf_constant.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>

namespace gpugauge::stack {
namespace {

constexpr std::size_t longest_function = 192;
constexpr int steps_most = 48;
constexpr std::size_t code_most = std::size_t{64} << 20;

std::uint32_t word(std::string_view code, std::size_t at) {
  std::uint32_t value = 0;
  if (at + sizeof value <= code.size()) std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

/// The result of interpreting a function.
struct Answer {
  std::vector<int> stored;
  std::optional<int> returned;
  std::vector<int> result() const {
    if (!stored.empty()) return stored;
    return returned ? std::vector<int>{*returned} : std::vector<int>{};
  }
};

// x86_64. Knows only the instructions that such functions consist of; any other ends the reading without a
// result. Arguments are pointers and assumed not null, so testing one leaves "not equal".
std::vector<int> constants_x86(std::string_view code) {
  struct Pattern {
    std::string_view bytes;
    std::size_t length;
    enum class Act { nothing, store, set, zero, jump_short, jump_long, ret } act;
  };
  using Act = Pattern::Act;
  using namespace std::string_view_literals;
  static constexpr std::array patterns{
      Pattern{"\xf3\x0f\x1e\xfa"sv, 4, Act::nothing},  // endbr64
      Pattern{"\x48\x85\xff"sv, 3, Act::nothing},      // test rdi,rdi
      Pattern{"\x48\x85\xf6"sv, 3, Act::nothing},      // test rsi,rsi
      Pattern{"\x48\x85\xd2"sv, 3, Act::nothing},      // test rdx,rdx
      Pattern{"\x48\x89\xe5"sv, 3, Act::nothing},      // mov rbp,rsp
      Pattern{"\x66\x90"sv, 2, Act::nothing},          // nop
      Pattern{"\x55"sv, 1, Act::nothing},              // push rbp
      Pattern{"\x5d"sv, 1, Act::nothing},              // pop rbp
      Pattern{"\x90"sv, 1, Act::nothing},              // nop
      Pattern{"\x74"sv, 2, Act::nothing},              // je, not taken
      Pattern{"\x0f\x84"sv, 6, Act::nothing},          // je, not taken
      Pattern{"\x75"sv, 2, Act::jump_short},           // jne, taken
      Pattern{"\xeb"sv, 2, Act::jump_short},           // jmp
      Pattern{"\xe9"sv, 5, Act::jump_long},            // jmp
      Pattern{"\xc7\x07"sv, 6, Act::store},            // mov dword [rdi],n
      Pattern{"\xc7\x06"sv, 6, Act::store},            // mov dword [rsi],n
      Pattern{"\xc7\x02"sv, 6, Act::store},            // mov dword [rdx],n
      Pattern{"\xb8"sv, 5, Act::set},                  // mov eax,n
      Pattern{"\x31\xc0"sv, 2, Act::zero},             // xor eax,eax
      Pattern{"\x33\xc0"sv, 2, Act::zero},             // xor eax,eax
      Pattern{"\xc3"sv, 1, Act::ret},                  // ret
      Pattern{"\xf3\xc3"sv, 2, Act::ret},              // rep ret
  };
  Answer answer;
  std::size_t at = 0;
  for (int step = 0; step < steps_most; ++step) {
    if (at >= code.size()) return {};
    const std::string_view rest = code.substr(at);
    const Pattern* found = nullptr;
    for (const Pattern& pattern : patterns) {
      if (rest.size() >= pattern.length && rest.starts_with(pattern.bytes)) found = &pattern;
      if (found != nullptr) break;
    }
    if (found == nullptr) return {};
    at += found->length;
    const auto number = [&] { return static_cast<int>(word(code, at - 4)); };  // its last four bytes
    switch (found->act) {
      case Act::nothing:
        break;
      case Act::store:
        answer.stored.push_back(number());
        break;
      case Act::set:
        answer.returned = number();
        break;
      case Act::zero:
        answer.returned = 0;
        break;
      case Act::jump_short:
        at += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(static_cast<signed char>(code[at - 1])));
        break;
      case Act::jump_long:
        at += static_cast<std::size_t>(static_cast<std::ptrdiff_t>(number()));
        break;
      case Act::ret:
        return answer.result();
    }
  }
  return {};
}

// aarch64: 32-bit instructions. Register numbers are in bits 0-4 (target) and 5-9 (base).
std::vector<int> constants_arm(std::string_view code) {
  Answer answer;
  std::map<std::uint32_t, std::uint32_t> registers;
  for (std::size_t at = 0; at + 4 <= code.size() && at < longest_function; at += 4) {
    const std::uint32_t instruction = word(code, at);
    const std::uint32_t target = instruction & 31U;
    const std::uint32_t base = instruction >> 5 & 31U;
    const std::uint32_t half = instruction >> 5 & 0xffffU;
    const std::uint32_t shift = (instruction >> 21 & 1U) * 16;
    if (instruction == 0xd503245fU || instruction == 0xd503233fU || instruction == 0xd50323bfU ||
        instruction == 0xd503201fU) {
      continue;  // bti c, paciasp, autiasp, nop
    }
    if (instruction == 0xd65f03c0U) {  // ret
      if (registers.contains(0)) answer.returned = static_cast<int>(registers[0]);
      return answer.result();
    }
    if ((instruction & 0x7f000000U) == 0x34000000U) continue;  // cbz: the pointer is not null
    if ((instruction & 0xff800000U) == 0x52800000U) {          // movz w
      registers[target] = half << shift;
    } else if ((instruction & 0xff800000U) == 0x72800000U && registers.contains(target)) {  // movk w
      registers[target] = (registers[target] & ~(0xffffU << shift)) | half << shift;
    } else if ((instruction & 0xfffffc00U) == 0xb9000000U && base < 8) {  // str w,[x]
      if (target != 31 && !registers.contains(target)) return {};
      answer.stored.push_back(target == 31 ? 0 : static_cast<int>(registers[target]));
    } else {
      return {};
    }
  }
  return {};
}

}  // namespace

std::vector<int> constants_in(std::string_view code, unsigned machine) {
  if (machine == EM_X86_64) return constants_x86(code);
  if (machine == EM_AARCH64) return constants_arm(code);
  return {};
}

std::vector<int> constants_of(const ElfFile& file, std::string_view function) {
  const auto symbol = file.symbol(function);
  if (!symbol || !symbol->defined) return {};
  const auto offset = file.offset_of(symbol->address);
  return offset ? constants_in(file.bytes().read(*offset, longest_function), file.header().e_machine)
                : std::vector<int>{};
}

std::optional<int> number_of(const ElfFile& file, std::string_view variable) {
  const auto symbol = file.symbol(variable);
  if (!symbol || !symbol->defined || symbol->size != sizeof(std::int32_t)) return std::nullopt;
  const auto offset = file.offset_of(symbol->address);
  return offset ? file.bytes().value<std::int32_t>(*offset) : std::nullopt;
}

std::optional<int> runtime_version_in(const ElfFile& file) {
  const ElfSection* const text = file.section(".text");
  if (text == nullptr || file.header().e_machine != EM_X86_64) return std::nullopt;
  const std::string code = file.contents(*text).read(0, code_most);
  // test rdi,rdi; je; mov dword [rdi],version; xor eax,eax; ret
  constexpr std::string_view before = "\x48\x85\xff\x74";
  constexpr std::string_view store = "\xc7\x07";
  constexpr std::string_view after = "\x31\xc0\xc3";
  constexpr int oldest = 7000;
  constexpr int newest = 99990;
  std::optional<int> version;
  for (auto at = code.find(before); at != std::string::npos; at = code.find(before, at + 1)) {
    const std::size_t number = at + before.size() + 1 + store.size();
    if (number + 4 + after.size() > code.size()) break;
    if (code.compare(number - store.size(), store.size(), store) != 0) continue;
    if (code.compare(number + 4, after.size(), after) != 0) continue;
    const auto found = static_cast<int>(word(code, number));
    // CUDA encodes major * 1000 + minor * 10. Version functions of other libraries have the same shape.
    if (found < oldest || found > newest || found % 10 != 0 || found % 1000 > 90) continue;
    if (version && *version != found) return std::nullopt;
    version = found;
  }
  return version;
}

}  // namespace gpugauge::stack
