#include <array>
#include <csignal>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stack/credentials.hpp"
#include "stack/inventory/frameworks.hpp"
#include "stack/inventory/toolkits_paths.hpp"

namespace gpugauge::stack {

// Everything the framework prints goes to standard error; the answer is the only line on standard output.
// Facts that cannot be determined are omitted. `-c` puts the working folder first on the path, as an empty
// entry. Until that is removed, only built-in modules may be imported: a json.py in the folder would run.
const char* const import_script = R"python(
import sys
sys.dont_write_bytecode = True
sys.path = [folder for folder in sys.path if folder.startswith("/")]
import json, os
name = sys.argv[1]
answer_to = os.dup(1)
os.dup2(2, 1)
facts = {}

def fact(key, get):
    try:
        value = get()
    except Exception:
        return
    if value is not None:
        facts[key] = str(value)

try:
    module = __import__(name)
    facts["outcome"] = "ok"
except BaseException as error:
    facts["outcome"] = "%s: %s" % (type(error).__name__, error)
    module = None
if module is not None:
    fact("version", lambda: module.__version__)
    if name == "torch":
        fact("cuda", lambda: module.version.cuda)
        fact("cuda_available", lambda: "yes" if module.cuda.is_available() else "no")
        fact("device_count", lambda: module.cuda.device_count())
        fact("cudnn", lambda: module.backends.cudnn.version())
        fact("nccl", lambda: ".".join(str(part) for part in module.cuda.nccl.version()))
    elif name == "tensorflow":
        info = {}
        try:
            info = dict(module.sysconfig.get_build_info())
        except Exception:
            pass
        fact("cuda", lambda: info.get("cuda_version"))
        fact("cudnn", lambda: info.get("cudnn_version"))
        fact("device_count", lambda: len(module.config.list_physical_devices("GPU")))
        fact("cuda_available", lambda: "yes" if module.config.list_physical_devices("GPU") else "no")
    elif name == "jax":
        def gpus():
            return [one for one in module.devices() if one.platform in ("gpu", "cuda")]
        fact("device_count", lambda: len(gpus()))
        fact("cuda_available", lambda: "yes" if gpus() else "no")
    elif name == "onnxruntime":
        fact("cuda_available",
             lambda: "yes" if "CUDAExecutionProvider" in module.get_available_providers() else "no")
    elif name == "cupy":
        fact("cuda", lambda: module.cuda.runtime.runtimeGetVersion())
        fact("device_count", lambda: module.cuda.runtime.getDeviceCount())
        fact("cuda_available", lambda: "yes" if module.cuda.is_available() else "no")
        fact("cudnn", lambda: module.backends.cudnn.getVersion())
        fact("nccl", lambda: module.cuda.nccl.get_version())
os.write(answer_to, (json.dumps(facts) + "\n").encode("ascii"))
)python";

namespace {

constexpr std::size_t sentence_limit = 300;

std::string signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "a segmentation fault";
    case SIGILL:
      return "an illegal instruction";
    case SIGABRT:
      return "an abort";
    case SIGBUS:
      return "a bus error";
    case SIGKILL:
      return "a kill, as by the kernel when memory runs out";
    default:
      return fmt::format("signal {}", signal);
  }
}

std::string with_last_words(std::string text, const ChildResult& child) {
  const std::string words = words_without_credentials(last_line(child.err));
  return words.empty() ? text : fmt::format("{}; it last said: {}", text, shown(words, sentence_limit));
}

/// Why there is no answer.
std::string failure_of(const ChildResult& child, double limit_seconds) {
  if (!child.start_error.empty())
    return fmt::format("the interpreter could not be started: {}", child.start_error);
  if (child.timed_out) return with_last_words(fmt::format("no answer within {:g} s", limit_seconds), child);
  if (child.signal) return with_last_words(fmt::format("it ended by {}", signal_name(*child.signal)), child);
  return with_last_words(fmt::format("it ended with code {} and no answer", child.exit_code.value_or(-1)),
                         child);
}

}  // namespace

void add_import(const std::string& framework, const std::string& interpreter, const ChildResult& child,
                double limit_seconds, Inventory& inventory) {
  const std::string prefix = fmt::format("framework.{}.import.", framework);
  const std::string how = "imported";
  const auto answer = nlohmann::json::parse(last_line(child.out), nullptr, false);
  const bool answered = answer.is_object() && answer.contains("outcome") && answer["outcome"].is_string();
  if (!answered) {
    inventory.present(prefix + "outcome", failure_of(child, limit_seconds), interpreter, how);
    return;
  }
  std::string outcome =
      shown(words_without_credentials(answer["outcome"].get<std::string>()), sentence_limit);
  // It wrote the answer but then did not end, or crashed while ending.
  if (child.timed_out || child.signal || child.exit_code.value_or(0) != 0)
    outcome += fmt::format("; {}", failure_of(child, limit_seconds));
  inventory.present(prefix + "outcome", outcome, interpreter, how);
  for (const char* const fact : {"version", "cuda", "cudnn", "nccl", "cuda_available", "device_count"}) {
    if (answer.contains(fact) && answer[fact].is_string())
      inventory.present(prefix + fact, shown(answer[fact].get<std::string>()), interpreter, how);
  }
}

}  // namespace gpugauge::stack
