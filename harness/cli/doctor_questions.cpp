// gpugauge doctor --plan, --image-env, --binary, --error: would it work, and what does an error mean here?
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "cli/doctor.hpp"
#include "cli/named_files.hpp"
#include "report/questions.hpp"
#include "result/error.hpp"
#include "result/file.hpp"

namespace gpugauge::cli {
namespace {

struct Questions {
  std::string plan, image, binary, error, gpu, driver;
};

/// --gpu as the models it names; empty where it was not given.
std::vector<stack::GpuModel> models(const std::string& words) {
  return words.empty() ? std::vector<stack::GpuModel>{} : stack::parse_plan("cuda=12.0", words).gpus;
}

template <typename Answer>
int show(const Answer& answer, bool json, int code) {
  return print_verdict(json ? report::to_json(answer) : report::draw(answer, report::terminal(1)), code);
}

int answer_plan(const Questions& asked, const DoctorArguments& arguments, bool json) {
  // A plan with a typing error must not wait for the inventory.
  const stack::PlanRequest request = stack::parse_plan(asked.plan, asked.gpu, asked.driver);
  const stack::PlanReport report =
      stack::plan(request, inventory_of(arguments), stack::tables(), {policy_of(arguments.policy), today()});
  return show(report, json, report::exit_code(report.outcome));
}

int answer_image(const Questions& asked, const DoctorArguments& arguments, bool json) {
  if (!asked.gpu.empty() || !asked.driver.empty())
    throw result::UsageError(
        "--image-env is held against this machine or --inventory; --gpu and --driver go with --plan");
  stack::ImageEnvironment image =
      stack::read_image_environment(result::read_file(asked.image, stack::max_image_text), asked.image);
  stack::Redactor redactor(names_of(arguments));
  if (arguments.redact) {
    for (std::string& name : image.tags) name = redactor.image_name(name);
    for (std::string& name : image.digests) name = redactor.image_name(name);
  }
  stack::ImageReport report = stack::judge_image(image, inventory_of(arguments), stack::tables());
  if (arguments.redact) {
    // Judged first: what a variable says counts. Four numbers in it are a version.
    for (auto& [name, value] : report.facts) value = redactor.path(value);
    for (stack::Finding& finding : report.findings)
      for (std::vector<std::string>* lines : {&finding.evidence, &finding.considered, &finding.next})
        for (std::string& line : *lines) line = redactor.path(line);
  }
  return show(report, json, report::exit_code(report.outcome));
}

int answer_binary(const Questions& asked, const DoctorArguments& arguments, bool json) {
  report::BinaryAnswers out;
  const bool live = arguments.root == "/";
  // A relative path is the caller's; below another root there is no working folder.
  const std::string path =
      live ? std::filesystem::absolute(asked.binary).lexically_normal().string() : asked.binary;
  out.report = stack::inspect_binary(stack::Tree(arguments.root),
                                     live ? stack::current_environment() : stack::Environment{}, path);
  if (out.report.kind == stack::BinaryKind::unknown && !out.report.problem.empty())
    throw result::UsageError(fmt::format("--binary {}: {}", asked.binary, out.report.problem));
  stack::RunQuestion question;
  for (const stack::GpuModel& model : models(asked.gpu))
    question.compute_capabilities.push_back(
        fmt::format("{}.{}", model.compute_capability.major(), model.compute_capability.minor()));
  const stack::Inventory inventory = inventory_of(arguments);
  if (question.compute_capabilities.empty())
    for (const std::string& index : inventory.children("gpu")) {
      const std::string capability = inventory.value("gpu." + index + ".compute_capability");
      if (!capability.empty()) question.compute_capabilities.push_back(capability);
    }
  std::vector<std::string>& asked_for = question.compute_capabilities;
  std::sort(asked_for.begin(), asked_for.end());
  asked_for.erase(std::unique(asked_for.begin(), asked_for.end()), asked_for.end());
  question.driver_cuda = inventory.value("driver.cuda_max");
  if (!asked.driver.empty()) {
    const auto driver = stack::Version::parse(asked.driver);
    const stack::DriverBranch* branch = driver ? stack::tables().branch(*driver) : nullptr;
    if (branch == nullptr)
      throw result::UsageError(fmt::format(
          "--driver {}: no driver branch of that number is known; docs/compatibility.md lists them",
          asked.driver));
    question.driver_cuda = branch->cuda_max ? branch->cuda_max->text() : "";
  }
  out.answers = stack::can_run(out.report, question);
  if (arguments.redact) {
    stack::Redactor redactor(names_of(arguments));
    out.report.path = redactor.path(out.report.path);
    for (stack::NeededLibrary& needed : out.report.needed) {
      needed.soname = redactor.path(needed.soname);  // it may be a path
      needed.path = redactor.path(needed.path);
    }
  }
  return show(out, json, report::exit_code(out));
}

int answer_error(const Questions& asked, const DoctorArguments& arguments, bool json) {
  if (!asked.gpu.empty() || !asked.driver.empty())
    throw result::UsageError(
        "--error is explained for this machine or --inventory; --gpu and --driver go with --plan");
  const auto explained = [&](const stack::Inventory& inventory) {
    return stack::explain_errors(asked.error,
                                 {inventory, stack::tables(), policy_of(arguments.policy), today()});
  };
  // A number that no header has must not wait for the driver.
  if (explained({}).empty())
    throw result::UsageError(
        fmt::format("--error {}: no header of CUDA or NVML has such a code; docs/compatibility.md lists "
                    "those of this build",
                    asked.error));
  return show(explained(inventory_of(arguments)), json, 0);
}

}  // namespace

void add_doctor_questions(CLI::App& doctor, DoctorArguments& arguments, Action& action) {
  auto asked = std::make_shared<Questions>();
  CLI::Option* plan =
      doctor
          .add_option("--plan", asked->plan,
                      "Would this combination work? driver, cuda, cudnn, nccl, a framework, python, gcc ...")
          ->type_name("LAYER=VERSION,...");
  CLI::Option* image = reads(
      doctor.add_option("--image-env", asked->image,
                        "Would this image work here? Lines NAME=value, or what `docker inspect` prints"),
      "FILE");
  CLI::Option* binary =
      reads(doctor.add_option("--binary", asked->binary,
                              "Can this program or library run here, at what first-launch cost?"),
            "FILE");
  plan->excludes(image, binary);
  image->excludes(binary);
  CLI::Option* error = doctor
                           .add_option("--error", asked->error,
                                       "What this error means here: a code (803, nvml:18) or its name")
                           ->type_name("CODE");
  error->excludes(plan, image, binary);
  doctor
      .add_option("--gpu", asked->gpu,
                  "For --plan and --binary: these GPUs instead of this machine's: h100,l4")
      ->type_name("MODEL,...");
  doctor
      .add_option("--driver", asked->driver, "For --plan and --binary: this driver instead of this machine's")
      ->type_name("VERSION");
  doctor.parse_complete_callback([asked, &arguments, &action, &doctor] {
    const bool given = doctor.count("--plan") + doctor.count("--image-env") + doctor.count("--binary") +
                           doctor.count("--error") >
                       0;
    for (const char* const name : {"--plan", "--image-env", "--binary", "--error"})
      if (doctor.count(name) > 0 && doctor.get_option(name)->as<std::string>().empty())
        throw CLI::ValidationError(name, "it is empty");
    if (given && doctor.count("--report") > 0)
      throw CLI::ValidationError(
          "--report", "a plan, image, binary or error is answered on standard output, with --json as JSON");
    const bool as_json = doctor.get_option("--json")->as<bool>();
    if (!asked->plan.empty())
      action = [asked, &arguments, as_json] { return answer_plan(*asked, arguments, as_json); };
    else if (!asked->image.empty())
      action = [asked, &arguments, as_json] { return answer_image(*asked, arguments, as_json); };
    else if (!asked->binary.empty())
      action = [asked, &arguments, as_json] { return answer_binary(*asked, arguments, as_json); };
    else if (!asked->error.empty())
      action = [asked, &arguments, as_json] { return answer_error(*asked, arguments, as_json); };
    else if (!asked->gpu.empty() || !asked->driver.empty())
      throw CLI::ValidationError("--gpu and --driver", "they go with --plan or --binary");
  });
}

}  // namespace gpugauge::cli
