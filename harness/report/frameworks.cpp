#include "report/frameworks.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/diagnosis.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "result/object_reader.hpp"

namespace gpugauge::report {
namespace {

Tone tone(FrameworkState state) {
  switch (state) {
    case FrameworkState::on_gpu:
      return Tone::good;
    case FrameworkState::failed:
      return Tone::bad;
    case FrameworkState::on_cpu:
    case FrameworkState::unknown:
      return Tone::doubt;
    case FrameworkState::absent:
      break;
  }
  return Tone::faint;
}

Tone tone(judge::ExitCode code) {
  if (code == judge::ExitCode::pass) return Tone::good;
  return code == judge::ExitCode::regressed ? Tone::bad : Tone::doubt;
}

std::string built_for(const Framework& framework) {
  if (framework.build == "cpu") return "the processor only";
  if (framework.build == "cuda" && !framework.cuda.empty() && framework.cuda != "none")
    return "CUDA " + framework.cuda;
  return framework.build.empty() ? "-" : framework.build;
}

std::string speed(const FrameworkOperation& operation) {
  if (operation.flops) return quantity(*operation.flops, "flop/second");
  return operation.bandwidth ? quantity(*operation.bandwidth, "byte/second") : "-";
}

/// "0.98 (tf32)": the type is that in which our own cuBLAS computed.
std::string beside_cublas(const FrameworkOperation& operation) {
  if (!operation.own || !operation.own->share) return "-";
  const std::string& id = operation.own->id;
  const std::size_t begin = id.find('/') + 1;
  return fmt::format("{:.2f} ({})", *operation.own->share,
                     plain(id.substr(begin, id.find('/', begin) - begin)));
}

std::string draw_operations(const Framework& framework, const Terminal& terminal) {
  const bool compared = std::any_of(framework.operations.begin(), framework.operations.end(),
                                    [](const auto& one) { return one.own && one.own->share; });
  std::vector<Column> columns{{"operation"}, {"ran on"}, {"speed", true}};
  if (compared) columns.push_back({"of cuBLAS here", true});
  Table table(columns);
  for (const FrameworkOperation& one : framework.operations) {
    std::vector<Cell> row{{plain(one.id)},
                          {one.wrong ? "failed" : one.ran_on, one.wrong ? Tone::bad : Tone::normal},
                          {speed(one)}};
    if (compared) row.push_back({beside_cublas(one)});
    table.add(std::move(row));
  }
  return table.empty() ? "" : table.draw(terminal);
}

std::string paragraph(const std::string& text, const Terminal& terminal) {
  return "\n  " + wrap(plain(text), terminal.width, 2) + "\n";
}

nlohmann::ordered_json operation_json(const FrameworkOperation& operation) {
  nlohmann::ordered_json out{
      {"id", operation.id}, {"ran_on", operation.ran_on}, {"evidence", operation.evidence}};
  if (operation.flops) out["flops"] = *operation.flops;
  if (operation.bandwidth) out["bandwidth"] = *operation.bandwidth;
  if (operation.own) {
    out["cublas"] = {{"id", operation.own->id}};
    if (operation.own->share) out["cublas"]["share"] = *operation.own->share;
    if (!operation.own->reason.empty()) out["cublas"]["reason"] = operation.own->reason;
  }
  out["failed"] = operation.wrong;
  return out;
}

}  // namespace

std::string to_string(FrameworkState state) {
  switch (state) {
    case FrameworkState::absent:
      return "absent";
    case FrameworkState::on_gpu:
      return "on_gpu";
    case FrameworkState::on_cpu:
      return "on_cpu";
    case FrameworkState::unknown:
      return "unknown";
    case FrameworkState::failed:
      return "failed";
  }
  return "";
}

std::string draw(const FrameworksReport& report, const Terminal& terminal) {
  std::string out;
  if (!report.interpreter.empty()) out += "  Run by " + plain(report.interpreter) + "\n\n";
  Table table({{"framework"}, {"version"}, {"built for"}, {"work ran on"}});
  for (const Framework& one : report.frameworks) {
    std::string place = "-";
    if (one.state == FrameworkState::on_gpu) place = "the GPU";
    if (one.state == FrameworkState::on_cpu) place = "the processor";
    if (one.state == FrameworkState::unknown) place = "not proved";
    if (one.state == FrameworkState::failed) place = "failed";
    if (one.state == FrameworkState::absent) place = "not installed";
    table.add({{one.name, Tone::strong},
               {one.version.empty() ? "-" : plain(one.version)},
               {plain(built_for(one))},
               {place, tone(one.state)}});
  }
  out += table.draw(terminal);
  for (const Framework& one : report.frameworks) {
    if (one.state == FrameworkState::absent) continue;
    out += "\n" +
           wrap_behind("  " + terminal.paint(one.name, Tone::strong) + "  ", plain(one.sentence),
                       terminal.width, 4) +
           "\n";
    out += draw_operations(one, terminal);
    for (const std::string& remark : one.remarks) out += paragraph(remark, terminal);
    if (one.diagnosis) out += "\n" + draw(*one.diagnosis, terminal);
  }
  for (const std::string& remark : report.remarks) out += paragraph(remark, terminal);
  if (!report.gpu_explanation.empty()) out += paragraph(report.gpu_explanation, terminal);
  return out + "\n  " +
         terminal.paint(wrap(plain(report.outcome.sentence), terminal.width, 2), tone(report.outcome.code)) +
         "\n";
}

std::string to_json(const FrameworksReport& report) {
  nlohmann::ordered_json frameworks = nlohmann::ordered_json::array();
  for (const Framework& one : report.frameworks) {
    nlohmann::ordered_json operations = nlohmann::ordered_json::array();
    for (const FrameworkOperation& operation : one.operations)
      operations.push_back(operation_json(operation));
    frameworks.push_back(
        {{"name", one.name},
         {"state", to_string(one.state)},
         {"version", one.version},
         {"build", one.build},
         {"cuda", one.cuda},
         {"sentence", one.sentence},
         {"operations", operations},
         {"remarks", one.remarks},
         {"findings", one.diagnosis ? findings_json(*one.diagnosis) : nlohmann::ordered_json::array()}});
  }
  const nlohmann::ordered_json root{{"schema", frameworks_schema},
                                    {"exit_code", static_cast<int>(report.outcome.code)},
                                    {"verdict", report.outcome.sentence},
                                    {"python", report.interpreter},
                                    {"gpu_explanation", report.gpu_explanation},
                                    {"frameworks", frameworks},
                                    {"remarks", report.remarks}};
  return result::dump_json(root);
}

}  // namespace gpugauge::report
