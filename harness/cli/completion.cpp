// gpugauge completion: the script that completes this command in a shell.
#include <memory>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/definition.hpp"

namespace gpugauge::cli {
namespace {

constexpr const char* completion_footer =
    "Examples:\n"
    "  source <(gpugauge completion bash)                       in this shell\n"
    "  gpugauge completion bash > ~/.local/share/bash-completion/completions/gpugauge\n"
    "  gpugauge completion zsh > \"${fpath[1]}/_gpugauge\"\n"
    "  gpugauge completion fish > ~/.config/fish/completions/gpugauge.fish\n"
    "\n"
    "Packages install all three.";

}  // namespace

void add_completion(CLI::App& app, const Invocation&, Action& action) {
  CLI::App* command =
      app.add_subcommand("completion", "Write the script that completes this command in a shell");
  command->footer(completion_footer);
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &action] {
    action = [&app, shell] {
      const DefinedCommand defined = definition(app);
      print(*shell == "bash"  ? bash_completion(defined)
            : *shell == "zsh" ? zsh_completion(defined)
                              : fish_completion(defined));
      return 0;
    };
  });
}

}  // namespace gpugauge::cli
