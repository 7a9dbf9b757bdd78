// Versions and architectures that well-known commands print: nvidia-smi, deviceQuery, PyTorch.
#include <algorithm>
#include <string_view>

#include "diagnose/told/told.hpp"
#include "diagnose/words.hpp"

namespace gpugauge::diagnose {
namespace {

/// The digits and dots behind the words, over blanks; "" where none stand there.
std::string number_text(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return "";
  std::string_view rest = line.substr(at + words.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t:="), rest.size()));
  std::string out(rest.substr(0, rest.find_first_not_of("0123456789.")));
  while (!out.empty() && out.back() == '.') out.pop_back();
  return out;
}

/// "-gencode;arch=compute_35,code=sm_35;-gencode;arch=compute_50,code=compute_50" -> sm_35, compute_50.
Value::List built_for(std::string_view flags) {
  Value::List out;
  constexpr std::string_view code = "code=";
  for (std::size_t at = flags.find(code); at != std::string_view::npos; at = flags.find(code, at + 1)) {
    const std::string_view rest = flags.substr(at + code.size());
    std::string one(rest.substr(0, rest.find_first_of(";, \t\"']")));
    if (!one.empty() && std::find(out.begin(), out.end(), one) == out.end()) out.push_back(std::move(one));
  }
  return out;
}

class Facts {
 public:
  explicit Facts(Observation& seen) : seen_(seen) {}

  void read(const std::string& line) {
    // nvidia-smi prints both in one line of its head.
    if (contains(line, "Driver Version*CUDA Version")) {
      add("driver.version", number_text(line, "Driver Version:"));
      add("driver.cuda_max", number_text(line, "CUDA Version:"));
    }
    // deviceQuery of cuda-samples: "CUDA Driver Version / Runtime Version          11.1 / 10.1"
    if (const std::string driver = number_text(line, "CUDA Driver Version / Runtime Version");
        !driver.empty()) {
      add("driver.cuda_max", driver);
      add("cuda.runtime", number_text(line, driver + " /"));
    }
    if (seen_.about.compute_capability.empty())
      seen_.about.compute_capability = number_text(line, "CUDA Capability Major/Minor version number:");
    // PyTorch's collect_env and torch.__config__.show().
    add("framework.cuda", number_text(line, "CUDA used to build PyTorch:"));
    add("framework.cuda", number_text(line, "- CUDA Runtime"));
    if (const std::size_t at = line.find("NVCC architecture flags:"); at != std::string::npos)
      if (Value::List list = built_for(std::string_view(line).substr(at)); !list.empty())
        seen_.inventory.insert({"cuda.arch_list", Value(std::move(list))});
  }

 private:
  void add(const std::string& key, const std::string& text) {
    if (!text.empty()) seen_.inventory.insert({key, Value(text)});
  }

  Observation& seen_;
};

}  // namespace

void add_printed_facts(Observation& seen) {
  Facts facts(seen);
  for (const std::string& line : seen.log) facts.read(line);
}

}  // namespace gpugauge::diagnose
