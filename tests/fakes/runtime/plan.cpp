#include "fakes/runtime/plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include <signal.h>
#include <unistd.h>

namespace fake::runtime {

namespace {

struct Rule {
  std::string call;
  int gpu = -1;  // any
  long from = 1;
  long to = std::numeric_limits<long>::max();
  std::string action;
  long seen = 0;
};

thread_local cudaError_t last = cudaSuccess;
std::atomic<cudaError_t> sticking = cudaSuccess;
cudaError_t ended_in = cudaSuccess;  // a kernel; nobody waited for it yet
thread_local std::string said;

std::vector<Rule> read_plan() {
  std::vector<Rule> rules;
  const char* const plan = std::getenv("GPUGAUGE_FAKE_CUDA");
  std::istringstream words(plan == nullptr ? "" : plan);
  const std::regex form(
      R"((\w+)(@(\d+))?(:(\d+)(-(\d+))?)?=(\d+|lost|hang|crash|exit|idle|zero|nan|old|endless|stuck))");
  for (std::string word; std::getline(words, word, ';');) {
    if (word.empty()) continue;
    std::smatch parts;
    if (!std::regex_match(word, parts, form)) {
      std::fprintf(stderr, "GPUGAUGE_FAKE_CUDA: '%s' is no rule\n", word.c_str());
      std::_Exit(9);
    }
    Rule rule;
    rule.call = parts[1];
    if (parts[3].matched) rule.gpu = std::stoi(parts[3]);
    if (parts[5].matched) rule.from = std::stol(parts[5]);
    if (parts[7].matched) rule.to = std::stol(parts[7]);
    rule.action = parts[8];
    rules.push_back(rule);
  }
  return rules;
}

std::vector<Rule>& rules() {
  static std::vector<Rule> read = read_plan();
  return read;
}

/// Those after which a context is of no use; driver_types.h says of each that "the process must be terminated
/// and relaunched".
bool takes_the_context(cudaError_t code) {
  constexpr std::array codes{214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 999};
  return std::find(codes.begin(), codes.end(), static_cast<int>(code)) != codes.end();
}

/// Counts one call; the action of the first rule that is due.
std::string due(const char* call, bool (*matches)(const std::string& rule, const std::string& call)) {
  static std::mutex counting;
  const std::lock_guard<std::mutex> alone(counting);
  std::string action;
  for (Rule& rule : rules()) {
    if (!matches(rule.call, call) || (rule.gpu >= 0 && rule.gpu != current())) continue;
    ++rule.seen;
    if (rule.seen >= rule.from && rule.seen <= rule.to && action.empty()) action = rule.action;
  }
  return action;
}

/// What the process itself does; the error for all others, cudaSuccess for a word.
cudaError_t act(const std::string& action) {
  if (action == "hang")
    for (;;) ::sleep(1);
  if (action == "exit") std::_Exit(7);
  if (action == "crash") {
    ::signal(SIGSEGV, SIG_DFL);
    ::raise(SIGSEGV);
  }
  if (action == "lost") {
    if (const char* const scenario = std::getenv("GPUGAUGE_FAKE_SCENARIO"))
      std::ofstream(scenario, std::ios::app) << "lost=1\n";
    return cudaErrorLaunchFailure;
  }
  if (action.empty() || action.find_first_not_of("0123456789") != std::string::npos) return cudaSuccess;
  return static_cast<cudaError_t>(std::stoi(action));
}

}  // namespace

cudaError_t remember(cudaError_t code) {
  if (takes_the_context(code)) sticking = code;
  return last = code;
}

cudaError_t enter(const char* call) {
  said = due(call,
             [](const std::string& rule, const std::string& name) { return rule == name || rule == "any"; });
  const cudaError_t told = act(said);
  if (sticking != cudaSuccess) return last = sticking;
  return told == cudaSuccess ? told : remember(told);
}

int& current() {
  static thread_local int gpu = 0;
  return gpu;
}

bool& busy() {
  static bool in_flight = false;
  return in_flight;
}

void wait_for_work() {
  while (busy()) ::sleep(1);
}

cudaError_t enter_waiting(const char* call) {
  wait_for_work();
  const cudaError_t told = enter(call);
  if (told != cudaSuccess || ended_in == cudaSuccess) return told;
  const cudaError_t found = ended_in;
  ended_in = cudaSuccess;
  return remember(found);
}

bool enter_kernel(const std::string& mangled) {
  const std::string action = due(mangled.c_str(), [](const std::string& rule, const std::string& name) {
    return rule == "any_kernel" || is_called(name, rule);
  });
  if (const cudaError_t told = act(action); told != cudaSuccess) ended_in = told;
  return action.empty();
}

const std::string& word() {
  return said;
}

cudaError_t take_last() {
  const cudaError_t found = last;
  last = sticking;
  return found;
}

bool is_called(const std::string& mangled, const std::string& name) {
  const std::string part = std::to_string(name.size()) + name;
  const auto at = mangled.find(part);
  if (at == std::string::npos) return false;
  const char next = at + part.size() < mangled.size() ? mangled[at + part.size()] : 'E';
  return next == 'E' || next == 'I';
}

}  // namespace fake::runtime
