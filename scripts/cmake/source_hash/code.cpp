// A scanner for what compilers ignore, and the closure over includes.
#include "source_hash/code.hpp"

#include <cctype>
#include <deque>

namespace gpugauge::source_hash {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

/// Reads a text from its start to its end, and keeps what a compiler reads.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string code() {
    while (at_ < text_.size()) {
      if (skip_continuation() || skip_blank() || skip_comment()) continue;
      if (text_[at_] == '"' || (text_[at_] == '\'' && !in_number()))
        take_literal();
      else
        take_character();
    }
    while (!out_.empty() && is_blank(out_.back())) out_.pop_back();
    return std::move(out_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  /// A backslash at the end of a line joins it with the next one.
  bool skip_continuation() {
    const std::size_t length = starts("\\\r\n") ? 3 : starts("\\\n") ? 2 : 0;
    at_ += length;
    blank_ = blank_ || length > 0;
    return length > 0;
  }

  bool skip_blank() {
    if (!is_blank(text_[at_])) return false;
    if (text_[at_] == '\n') {
      if (directive_) out_ += '\n';
      directive_ = false;
      line_starts_ = true;
    }
    blank_ = true;
    ++at_;
    return true;
  }

  bool skip_comment() {
    if (!starts("//") && !starts("/*")) return false;
    const bool line = starts("//");
    std::size_t end = text_.find(line ? "\n" : "*/", at_ + 2);
    // A line comment that ends with a backslash goes on.
    while (line && end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
    if (end == std::string_view::npos)
      end = text_.size();
    else if (!line)
      end += 2;
    at_ = end;
    blank_ = true;
    return true;
  }

  /// Whether a quote separates digits, as in 1'000.
  bool in_number() const {
    if (at_ == 0 || !is_word(text_[at_ - 1])) return false;
    std::size_t first = at_;
    while (first > 0 && (is_word(text_[first - 1]) || text_[first - 1] == '\'' || text_[first - 1] == '.'))
      --first;
    return std::isdigit(static_cast<unsigned char>(text_[first])) != 0;
  }

  void separate(char next) {
    if (blank_ && !out_.empty() && out_.back() != '\n') {
      const char last = out_.back();
      // Of two signs only equal ones could become another token: + + and ++.
      const bool words = is_word(last) && is_word(next);
      const bool signs = last == next && !is_word(next);
      // #define f (x) is no macro with a parameter.
      if (words || signs || (directive_ && next == '(')) out_ += ' ';
    }
    blank_ = false;
  }

  void take_character() {
    const char c = text_[at_];
    if (line_starts_ && c == '#') {
      if (!out_.empty() && out_.back() != '\n') out_ += '\n';
      directive_ = true;
    }
    line_starts_ = false;
    separate(c);
    out_ += c;
    ++at_;
  }

  /// A string or a character with its quotes; a raw string with its delimiters.
  void take_literal() {
    line_starts_ = false;
    separate(text_[at_]);
    const std::size_t first = at_;
    const bool raw = text_[at_] == '"' && at_ > 0 && text_[at_ - 1] == 'R' && raw_prefix();
    at_ = raw ? end_of_raw() : end_of_quoted();
    out_ += text_.substr(first, at_ - first);
  }

  /// Whether the word before the quote is R, u8R, uR, UR or LR.
  bool raw_prefix() const {
    std::size_t first = at_;
    while (first > 0 && is_word(text_[first - 1])) --first;
    const std::string_view word = text_.substr(first, at_ - first);
    return word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
  }

  std::size_t end_of_raw() const {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return text_.size();
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    return end == std::string_view::npos ? text_.size() : end + close.size();
  }

  std::size_t end_of_quoted() const {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == text_[at_])
        return i + 1;
      else if (text_[i] == '\n')
        return i;  // an apostrophe in the text of #error
    }
    return text_.size();
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
  bool blank_ = false;       ///< blanks or comments lie before the next character
  bool directive_ = false;   ///< within the line of a directive
  bool line_starts_ = true;  ///< nothing but blanks came on this line
};

bool is_source(const std::filesystem::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".cu";
}

/// The paths that a file's includes have among `known`.
std::vector<std::filesystem::path> included(const std::filesystem::path& file, const std::string& text,
                                            const Files& known,
                                            const std::vector<std::filesystem::path>& roots) {
  std::vector<std::filesystem::path> out;
  std::vector<std::filesystem::path> folders{file.parent_path()};
  folders.insert(folders.end(), roots.begin(), roots.end());
  for (const std::string& name : includes_of(text)) {
    for (const std::filesystem::path& folder : folders) {
      std::filesystem::path path = (folder / name).lexically_normal();
      if (known.count(path) == 0) continue;
      out.push_back(std::move(path));
      break;
    }
  }
  return out;
}

}  // namespace

std::string code_of(std::string_view text) {
  return Scanner(text).code();
}

std::vector<std::string> includes_of(std::string_view text) {
  std::vector<std::string> out;
  const std::string code = code_of(text);
  constexpr std::string_view word = "#include\"";
  for (std::size_t line = 0; line < code.size();) {
    const std::size_t end = std::min(code.find('\n', line), code.size());
    const std::string_view here = std::string_view(code).substr(line, end - line);
    if (here.substr(0, word.size()) == word)
      out.emplace_back(here.substr(word.size(), here.find('"', word.size()) - word.size()));
    line = end + 1;
  }
  return out;
}

std::set<std::filesystem::path> used_of(const Files& sources, const Files& shared,
                                        const std::vector<std::filesystem::path>& roots) {
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> behind;
  for (const auto& [file, text] : shared) {
    if (!is_source(file)) continue;
    std::vector<std::filesystem::path> headers;
    for (const char* extension : {".hpp", ".cuh"})
      if (auto header = std::filesystem::path(file).replace_extension(extension); shared.count(header) > 0)
        headers.push_back(std::move(header));
    if (headers.empty())
      for (std::filesystem::path& header : included(file, text, shared, roots))
        if (header.parent_path() == file.parent_path()) headers.push_back(std::move(header));
    for (const std::filesystem::path& header : headers) behind[header].push_back(file);
  }

  std::set<std::filesystem::path> used;
  std::deque<std::filesystem::path> todo;
  for (const auto& [file, text] : sources) todo.push_back(file);
  while (!todo.empty()) {
    const std::filesystem::path file = todo.front();
    todo.pop_front();
    const auto own = sources.find(file);
    std::vector<std::filesystem::path> next =
        included(file, own != sources.end() ? own->second : shared.at(file), shared, roots);
    if (const auto found = behind.find(file); found != behind.end())
      next.insert(next.end(), found->second.begin(), found->second.end());
    for (const std::filesystem::path& path : next)
      if (used.insert(path).second) todo.push_back(path);
  }
  return used;
}

}  // namespace gpugauge::source_hash
