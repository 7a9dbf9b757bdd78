// The table of GPU models, and matching of names to models.
#include "stack/plan/plan_gpu_models.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

struct Row {
  std::string_view key;  // in the form of normalised()
  std::string_view name;
  int major;
  int minor;
  Market market;
};

constexpr Market centre = Market::data_centre;
constexpr Market work = Market::workstation;
constexpr Market force = Market::geforce;

// Source: NVIDIA's "CUDA GPU Compute Capability" and "Legacy CUDA GPU Compute Capability" pages
// (developer.nvidia.com/cuda-gpus). A800, H800 and H20 are the A100's and H100's chips.
constexpr std::array rows{
    Row{"gb300", "GB300", 10, 3, centre},
    Row{"b300", "B300", 10, 3, centre},
    Row{"gb200", "GB200", 10, 0, centre},
    Row{"b200", "B200", 10, 0, centre},
    Row{"gb10", "GB10", 12, 1, Market::unknown},
    Row{"gh200", "GH200", 9, 0, centre},
    Row{"h200", "H200", 9, 0, centre},
    Row{"h100", "H100", 9, 0, centre},
    Row{"h800", "H800", 9, 0, centre},
    Row{"h20", "H20", 9, 0, centre},
    Row{"l40s", "L40S", 8, 9, centre},
    Row{"l40", "L40", 8, 9, centre},
    Row{"l4", "L4", 8, 9, centre},
    Row{"a100", "A100", 8, 0, centre},
    Row{"a800", "A800", 8, 0, centre},
    Row{"a30", "A30", 8, 0, centre},
    Row{"a40", "A40", 8, 6, centre},
    Row{"a10g", "A10G", 8, 6, centre},
    Row{"a10", "A10", 8, 6, centre},
    Row{"a16", "A16", 8, 6, centre},
    Row{"a2", "A2", 8, 6, centre},
    Row{"t4", "T4", 7, 5, centre},
    Row{"v100", "V100", 7, 0, centre},
    Row{"p100", "P100", 6, 0, centre},
    Row{"p40", "P40", 6, 1, centre},
    Row{"p4", "P4", 6, 1, centre},
    Row{"m60", "M60", 5, 2, centre},
    Row{"m40", "M40", 5, 2, centre},
    Row{"k80", "K80", 3, 7, centre},
    Row{"k40", "K40", 3, 5, centre},
    Row{"rtxpro6000blackwell", "RTX PRO 6000 Blackwell", 12, 0, work},
    Row{"rtxpro6000", "RTX PRO 6000 Blackwell", 12, 0, work},
    Row{"rtxpro5000", "RTX PRO 5000 Blackwell", 12, 0, work},
    Row{"rtxpro4500", "RTX PRO 4500 Blackwell", 12, 0, work},
    Row{"rtxpro4000", "RTX PRO 4000 Blackwell", 12, 0, work},
    Row{"rtxpro2000", "RTX PRO 2000 Blackwell", 12, 0, work},
    Row{"rtx6000ada", "RTX 6000 Ada", 8, 9, work},
    Row{"rtx5000ada", "RTX 5000 Ada", 8, 9, work},
    Row{"rtx4500ada", "RTX 4500 Ada", 8, 9, work},
    Row{"rtx4000ada", "RTX 4000 Ada", 8, 9, work},
    Row{"rtx2000ada", "RTX 2000 Ada", 8, 9, work},
    Row{"rtxa6000", "RTX A6000", 8, 6, work},
    Row{"rtxa5000", "RTX A5000", 8, 6, work},
    Row{"rtxa4000", "RTX A4000", 8, 6, work},
    Row{"rtxa2000", "RTX A2000", 8, 6, work},
    Row{"rtx8000", "Quadro RTX 8000", 7, 5, work},
    Row{"rtx6000", "Quadro RTX 6000", 7, 5, work},
    Row{"rtx5000", "Quadro RTX 5000", 7, 5, work},
    Row{"rtx4000", "Quadro RTX 4000", 7, 5, work},
    Row{"gv100", "Quadro GV100", 7, 0, work},
    Row{"rtx5090", "GeForce RTX 5090", 12, 0, force},
    Row{"rtx5080", "GeForce RTX 5080", 12, 0, force},
    Row{"rtx5070ti", "GeForce RTX 5070 Ti", 12, 0, force},
    Row{"rtx5070", "GeForce RTX 5070", 12, 0, force},
    Row{"rtx5060ti", "GeForce RTX 5060 Ti", 12, 0, force},
    Row{"rtx5060", "GeForce RTX 5060", 12, 0, force},
    Row{"rtx4090", "GeForce RTX 4090", 8, 9, force},
    Row{"rtx4080super", "GeForce RTX 4080 SUPER", 8, 9, force},
    Row{"rtx4080", "GeForce RTX 4080", 8, 9, force},
    Row{"rtx4070ti", "GeForce RTX 4070 Ti", 8, 9, force},
    Row{"rtx4070", "GeForce RTX 4070", 8, 9, force},
    Row{"rtx4060ti", "GeForce RTX 4060 Ti", 8, 9, force},
    Row{"rtx4060", "GeForce RTX 4060", 8, 9, force},
    Row{"rtx3090ti", "GeForce RTX 3090 Ti", 8, 6, force},
    Row{"rtx3090", "GeForce RTX 3090", 8, 6, force},
    Row{"rtx3080ti", "GeForce RTX 3080 Ti", 8, 6, force},
    Row{"rtx3080", "GeForce RTX 3080", 8, 6, force},
    Row{"rtx3070", "GeForce RTX 3070", 8, 6, force},
    Row{"rtx3060", "GeForce RTX 3060", 8, 6, force},
    Row{"rtx2080ti", "GeForce RTX 2080 Ti", 7, 5, force},
    Row{"rtx2080", "GeForce RTX 2080", 7, 5, force},
    Row{"rtx2070", "GeForce RTX 2070", 7, 5, force},
    Row{"rtx2060", "GeForce RTX 2060", 7, 5, force},
    Row{"gtx1660", "GeForce GTX 1660", 7, 5, force},
    Row{"gtx1650", "GeForce GTX 1650", 7, 5, force},
    Row{"titanrtx", "TITAN RTX", 7, 5, force},
    Row{"titanv", "TITAN V", 7, 0, force},
    Row{"titanxp", "TITAN Xp", 6, 1, force},
    Row{"gtx1080ti", "GeForce GTX 1080 Ti", 6, 1, force},
    Row{"gtx1080", "GeForce GTX 1080", 6, 1, force},
    Row{"gtx1070", "GeForce GTX 1070", 6, 1, force},
    Row{"gtx1060", "GeForce GTX 1060", 6, 1, force},
    Row{"gtx1050", "GeForce GTX 1050", 6, 1, force},
    Row{"gtx980", "GeForce GTX 980", 5, 2, force},
    Row{"jetsonagxorin", "Jetson AGX Orin", 8, 7, Market::jetson},
    Row{"jetsonorinnano", "Jetson Orin Nano", 8, 7, Market::jetson},
    Row{"jetsont5000", "Jetson T5000", 11, 0, Market::jetson},
    Row{"jetsonagxxavier", "Jetson AGX Xavier", 7, 2, Market::jetson},
};

/// Lower case, without separators, without names of the maker and of product lines, and without an instance's
/// name: "NVIDIA H200 MIG 1g.18gb".
std::string normalised(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) name += static_cast<char>(std::tolower(byte));
  }
  for (const std::string_view word : {"nvidia", "geforce", "tesla", "quadro", "generation", "laptopgpu"}) {
    const auto at = name.find(word);
    if (at != std::string::npos) name.erase(at, word.size());
  }
  const auto instance = name.find("mig");
  const bool profile = instance != std::string::npos && instance > 0 && instance + 3 < name.size() &&
                       std::isdigit(static_cast<unsigned char>(name[instance + 3])) != 0;
  if (profile) name.erase(instance);
  return name;
}

bool is_blackwell(int major) {
  return major == 10 || major == 12;
}

/// True for text that may follow a model's key: form factor, memory, edition. Anything else makes it another
/// model.
bool is_suffix(std::string_view rest, int major) {
  static constexpr std::array<std::string_view, 9> words{"sxm",   "pcie",      "nvl",    "hbm",        "pg",
                                                         "super", "blackwell", "server", "workstation"};
  if (rest.empty()) return true;
  // "RTX 6000 Blackwell" is no Quadro RTX 6000.
  if (rest.find("blackwell") != std::string_view::npos && !is_blackwell(major)) return false;
  // A digit continues the model's number, unless it is a memory size: "80gb". "T400 4GB" is no T4.
  if (rest.front() == '0') return false;
  if (std::isdigit(static_cast<unsigned char>(rest.front())) != 0) {
    const auto unit = rest.find_first_not_of("0123456789");
    return unit != std::string_view::npos && rest.substr(unit).starts_with("gb");
  }
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return rest.starts_with(word); });
}

GpuModel model(const Row& row) {
  return {std::string(row.name), Version({row.major, row.minor}), row.market};
}

std::optional<GpuModel> by_capability(std::string_view text) {
  std::string_view number = text;
  const bool named = number.starts_with("sm_") || number.starts_with("SM_");
  if (named) number.remove_prefix(3);
  const bool dotted = number.find('.') != std::string_view::npos;
  if (named == dotted || number.size() > 4 || number.empty()) return std::nullopt;
  if (number.find_first_not_of(named ? "0123456789" : "0123456789.") != std::string_view::npos)
    return std::nullopt;
  std::string digits(number);
  if (named) {
    if (digits.size() < 2) return std::nullopt;
    digits.insert(digits.size() - 1, ".");
  }
  const auto version = Version::parse(digits);
  if (!version || version->size() != 2) return std::nullopt;
  return GpuModel{"compute capability " + version->text(), *version, Market::unknown};
}

}  // namespace

std::optional<GpuModel> gpu_model(std::string_view text) {
  if (text.size() > 100) return std::nullopt;
  if (auto found = by_capability(text)) return found;
  const std::string name = normalised(text);
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (!name.starts_with(row.key) || !is_suffix(std::string_view(name).substr(row.key.size()), row.major))
      continue;
    if (best == nullptr || row.key.size() > best->key.size()) best = &row;
  }
  if (best == nullptr) return std::nullopt;
  return model(*best);
}

std::size_t model_match(std::string_view name, std::string_view model, const Version& compute_capability) {
  const std::string given = normalised(name);
  const std::string key = normalised(model);
  const bool laptop = name.find("aptop") != std::string_view::npos;
  if (laptop || key.empty() || !given.starts_with(key)) return 0;
  return is_suffix(std::string_view(given).substr(key.size()), compute_capability.major()) ? key.size() : 0;
}

bool is_tegra(int architecture) {
  static constexpr std::array tegra{53, 62, 72, 87, 88, 101, 110};
  return std::find(tegra.begin(), tegra.end(), architecture) != tegra.end();
}

Market market_of(std::string_view name, std::string_view brand) {
  std::string lower;
  for (const char c : std::string(name) + " " + std::string(brand))
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
  if (has("geforce") || has("titan")) return Market::geforce;
  if (has("jetson") || has("orin") || has("xavier")) return Market::jetson;
  if (has("quadro") || has("rtx")) return Market::workstation;
  if (has("tesla")) return Market::data_centre;
  const auto known = gpu_model(name);
  return known ? known->market : Market::unknown;
}

std::vector<std::string> gpu_model_names() {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const Row& row : rows) names.emplace_back(row.key);
  return names;
}

}  // namespace gpugauge::stack
