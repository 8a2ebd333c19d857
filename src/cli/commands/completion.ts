import { sessionList } from "../../operations/ledger/session/session-list.ts";
import { ask } from "../ask.ts";
import type { Answer, Command } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import type { Vocabulary } from "../completion/choices.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { notUnderstood } from "../failure.ts";
import type { Terminal } from "../host.ts";
import { orList } from "../parse-words.ts";
import { oneLine, shortId } from "../rendering/words.ts";

const shells: Readonly<Record<string, (vocabulary: Vocabulary) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** As many as a person looks through. */
const offeredSessions = 50;

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

    async run({ terminal, words: [shell = ""] }) {
      if (shell === "sessions") return listSessions(terminal);
      const render = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (!render)
        throw notUnderstood(
          `The shell must be ${orList(Object.keys(shells))}.`,
          "thoughtbox completion bash",
        );
      const script = render({ commands: all(), operations: await terminal.catalogue });
      return { data: { shell, script }, lines: () => [script.trimEnd()] };
    },
  };
}

/** What the scripts ask for when Tab is pressed. A Tab makes no directory: where there is none, there are no sessions. */
async function listSessions(terminal: Terminal): Promise<Answer | number> {
  const host = await terminal.openStore();
  try {
    if (!host.inspectDirectory().exists) return 0;
    const { sessions } = await ask(host, sessionList, {
      project: "*",
      limit: offeredSessions,
    });
    if (sessions.length === 0) return 0;
    const lines = sessions.map(({ id, title }) => `${shortId(id)}\t${oneLine(title)}`);
    return { data: sessions.map(({ id, title }) => ({ id, title })), lines: () => lines };
  } finally {
    await host.close();
  }
}
