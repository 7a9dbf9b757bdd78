// One self-contained HTML page: no network, no other file. Measured data is embedded as JSON that no HTML
// parser can read as markup; the page's own scripts insert it as text. A content security policy names the
// only script and style sheet by their hashes, so nothing else can run.
#include <stdexcept>

#include <fmt/format.h>

#include "baseline/digest.hpp"
#include "report/page_data.hpp"
#include "report/page_files.hpp"
#include "result/build.hpp"
#include "result/error.hpp"

namespace gpugauge::report {
namespace {

const std::string& part(const std::vector<DataFile>& files, std::string_view name) {
  for (const DataFile& file : files)
    if (file.name == name) return file.text;
  throw std::logic_error(fmt::format("the page has no part {}", name));
}

/// "sha256-..." in base64, as a content security policy requires.
std::string policy_hash(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = baseline::sha256(text) + "00";  // 32 bytes and one byte of padding
  std::string out = "sha256-";
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    const unsigned long bits = std::stoul(hex.substr(i, 6), nullptr, 16);
    for (const int shift : {18, 12, 6, 0}) out += digits[bits >> shift & 63];
  }
  out.back() = '=';
  return out;
}

/// JSON for a script element. Without "<" it can neither end the element nor open a comment. Also replaces
/// characters that would turn or hide text; JSON has them only inside strings, which are shown as text.
std::string within_script(const nlohmann::ordered_json& data) {
  const std::string text =
      result::one_line(data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html_text(const Subject& subject) {
  return page_text(std::visit([](const auto* what) { return page_data(*what); }, subject));
}

std::string page_text(nlohmann::ordered_json data) {
  data["version"] = result::build().version;
  data["commit"] = result::build().commit;
  const std::vector<DataFile> files = embedded_report_page();
  const std::string style = part(files, "uPlot.min.css") + "\n" + part(files, "page.css");
  std::string script = "\"use strict\";\n";
  for (const char* name : {"uPlot.iife.js", "base.js", "chart.js", "time.js", "check.js", "heat.js",
                           "fabric.js", "fleet.js", "history.js", "main.js"})
    script += part(files, name) + "\n";
  std::string out = part(files, "head.html");
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; style-src "
      "'{}'; img-src data:; base-uri 'none'; form-action 'none'\">\n",
      policy_hash(script), policy_hash(style));
  out += "<style>" + style + "</style>\n</head>\n";
  out += part(files, "body.html");
  out += "<script type=\"application/json\" id=\"data\">" + within_script(data) + "</script>\n";
  out += "<script>" + script + "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace gpugauge::report
