import { resolve } from "node:path";
import { count } from "../../../kernel/numbers.ts";
import { quote, shellWord } from "../../../kernel/text.ts";
import { flushFiles, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { indented, renderShortList, renderStatement, repeatPlace } from "../../rendering/statement.ts";
import { formatBytes } from "../../rendering/words.ts";

export const archive: Command = {
  name: "archive",
  group: "Move",
  summary: "Move completed sessions out of the store into a file.",
  options: {
    before: {
      value: "date",
      describe: "Archive sessions that were completed before this day, such as 2026-01-31.",
    },
    to: { value: "file", describe: "The file to write. It must not exist." },
    check: { describe: "Count the sessions without archiving them." },
  },
  details: [
    "Thoughtbox writes the file and verifies it before it removes a session from the store. thoughtbox restore brings the sessions back with the same hashes.",
    "Open, abandoned and deleted sessions stay in the store, as do knowledge, notebooks and memory.",
  ],
  examples: [
    { line: "thoughtbox archive --before 2020-01-01 --check", shows: "how many sessions would be archived" },
  ],

  async run({ terminal, flags }) {
    const before = readDay(flags.text("before"));
    const check = flags.has("check");
    const word = flags.text("to");
    if (word === undefined && !check)
      throw new CommandFailure("Choose the file to write: --to <file>.", {
        next: "thoughtbox archive --before 2026-01-31 --to 2025.jsonl",
      });
    const bar = createProgressBar(terminal, "archiving");
    const path = resolve(terminal.directory, word ?? "");
    const report = await withStore(terminal, async (host) => {
      const done = await host
        .archive(path, { before, check, signal: terminal.stop, progress: bar.update })
        .finally(bar.end);
      await flushFiles(terminal, host);
      return done;
    });
    const { sessions, thoughts, bytes, kept } = report;
    const amount = `${count(sessions, "session")} completed before ${before.slice(0, 10)}`;
    const isDone = !check && bytes > 0;
    return {
      data: { ...report, ...(!isDone && { path: undefined }) },
      lines: (context) => [
        ...renderStatement("good", isDone ? path : `${amount}, ${count(thoughts, "thought")}.`, context),
        ...indented(
          isDone
            ? repeatPlace(
                `${amount}, ${formatBytes(bytes)}. To restore: thoughtbox restore ${shellWord(word ?? "")}`,
                context.place,
              )
            : "Nothing was moved.",
          context,
        ),
        ...(kept.length > 0
          ? [
              ...indented(
                "These sessions changed while they were being archived and are still in the store:",
                context,
              ),
              ...renderShortList(kept, context),
            ]
          : []),
      ],
    };
  },
};

function readDay(text: string | undefined): string {
  const day = text === undefined || !/^\d{4}-\d{2}-\d{2}(?:T.*)?$/.test(text) ? Number.NaN : Date.parse(text);
  if (!Number.isNaN(day)) return new Date(day).toISOString();
  if (text !== undefined)
    throw notUnderstood(
      `--before is ${quote(text, 60)}. It must be a day, such as 2026-01-31.`,
      "thoughtbox archive --before 2026-01-31 --check",
    );
  throw new CommandFailure("Choose the sessions with --before <date>, such as 2026-01-31.", {
    next: "thoughtbox archive --before 2026-01-31 --check",
  });
}
