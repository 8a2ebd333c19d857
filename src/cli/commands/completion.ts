import type { Command } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { notUnderstood } from "../failure.ts";
import { orList } from "../parse-words.ts";

const shells: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `all` is asked for late: this command is one of them. */
export function createCompletion(all: () => readonly Command[]): Command {
  return {
    name: "completion",
    group: "More",
    summary: "Print the completion script of your shell.",
    words: ["<bash|zsh|fish>"],
    details: [
      'bash: eval "$(thoughtbox completion bash)" in ~/.bashrc',
      'zsh: eval "$(thoughtbox completion zsh)" in ~/.zshrc, after compinit',
      "fish: thoughtbox completion fish | source in ~/.config/fish/config.fish",
    ],
    examples: [
      { line: "thoughtbox completion bash", shows: "for bash" },
      { line: "thoughtbox completion fish", shows: "for fish" },
    ],

    async run({ words: [shell = ""] }) {
      const render = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (!render)
        throw notUnderstood(
          `The shell must be ${orList(Object.keys(shells))}.`,
          "thoughtbox completion bash",
        );
      const script = render(all());
      return { data: { shell, script }, lines: () => [script.trimEnd()] };
    },
  };
}
