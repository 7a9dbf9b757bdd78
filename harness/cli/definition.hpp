// The command line as data, read from its definition: what the manual page and the completions are written
// from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace gpugauge::cli {

/// What a shell can offer for a value.
enum class ValueKind { none, words, files, folders, words_then_file };

/// An option, or an argument without a name.
struct DefinedOption {
  std::vector<std::string> names;    ///< "--device", "-d"; empty for an argument without a name
  std::string argument;              ///< "cause"; empty for an option
  std::string value;                 ///< as in help: "FILE"; empty for a flag
  std::string description;           ///< as in help; may hold line breaks
  std::string preset;                ///< its value when not given, where help shows it
  std::vector<std::string> words;    ///< values that the definition lists or offers
  bool only_these = false;           ///< nothing but `words` is taken; otherwise they are what comes to mind
  ValueKind kind = ValueKind::none;  ///< what a shell offers for its value
  bool repeated = false;             ///< takes any number of values
  bool required = false;             ///< the command refuses to run without it

  /// Whether a word must follow its name.
  bool takes_value() const { return !value.empty(); }
};

/// A command or subcommand, with all below it.
struct DefinedCommand {
  std::string path;                         ///< "gpugauge doctor lock"
  std::string name;                         ///< "lock"
  std::string description;                  ///< one sentence, without its full stop
  std::string footer;                       ///< examples and exit codes, as help shows them; may be empty
  std::vector<DefinedOption> options;       ///< with a name, in the order of help
  std::vector<DefinedOption> arguments;     ///< without, in their order
  std::vector<DefinedCommand> subcommands;  ///< in the order of help; hidden ones are left out
};

/// Everything that help shows of `app`; hidden commands and options are left out.
DefinedCommand definition(const CLI::App& app);

/// `command` and all below it, parents first.
std::vector<const DefinedCommand*> all_commands(const DefinedCommand& command);

/// Names the values that a shell offers for an option whose check is elsewhere, or which takes others too.
/// They are asked for only when a completion is written. A word that ends in = is followed by a file.
void offer(CLI::Option* option, std::function<std::vector<std::string>()> words);

/// What --profile and --only may name.
std::vector<std::string> profile_names();
std::vector<std::string> class_names();

/// The kind and its words as the scripts know it: "files", "words csv jsonl".
std::string kind_text(const DefinedOption& option);

/// The first sentence of a description, on one line.
std::string first_sentence(const std::string& description);

/// Scripts that complete the command in an interactive shell.
std::string bash_completion(const DefinedCommand& command);
std::string zsh_completion(const DefinedCommand& command);
std::string fish_completion(const DefinedCommand& command);

/// The manual page in man(7) macros. `date` as "2025-01-31".
std::string manual_page(const DefinedCommand& command, const std::string& version, const std::string& date);

}  // namespace gpugauge::cli
