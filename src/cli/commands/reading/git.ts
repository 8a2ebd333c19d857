import { count } from "../../../kernel/numbers.ts";
import { quote } from "../../../kernel/text.ts";
import { gitScan, gitTrailer } from "../../../operations/memory/git/git.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Answer, Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Terminal } from "../../host.ts";
import type { FieldFlags } from "../../operation-options.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { oneLine, shortId } from "../../rendering/words.ts";

const counting: FieldFlags = { commits: { field: "commits", value: "number" } };

export const git: Command = {
  name: "git",
  group: "Look",
  summary: "Link commits to sessions, or add the session to commit messages.",
  words: ["<scan|hook|trailer>", "[install|remove]"],
  options: {
    commits: {
      value: "number",
      describe: "With scan: how many commits to read, newest first. Default: 200.",
    },
  },
  details: [
    "scan links each commit to the sessions that wrote its lines, or to those named in its trailers: Thoughtbox-Session, Agent-Session or Entire-Checkpoint.",
    "hook install adds the Thoughtbox-Session trailer to each commit message. It respects core.hooksPath, and an existing hook still runs. hook remove restores the original hook byte for byte.",
    "trailer prints the trailer that a commit would get now, if any.",
  ],
  examples: [
    { line: "thoughtbox git scan", shows: "commits with their sessions" },
    { line: "thoughtbox git hook install", shows: "add the session to commit messages" },
    { line: "thoughtbox git hook remove", shows: "restore the hooks as they were" },
  ],

  async run({ terminal, words: [verb, change], flags }) {
    if (verb === "hook" && (change === "install" || change === "remove")) return changeHook(terminal, change);
    if (verb === "hook")
      throw notUnderstood(
        `git hook needs install or remove${change === undefined ? "" : `, not ${quote(change, 60)}`}.`,
      );
    if (verb !== "scan" && verb !== "trailer")
      throw notUnderstood(`git does not take ${quote(verb ?? "", 60)}. It takes scan, hook or trailer.`);
    if (change !== undefined) throw notUnderstood(`git ${verb} takes no other arguments.`);
    if (verb === "trailer")
      return withStore(terminal, async (host) => {
        const found = await ask(host, gitTrailer, {}, { signal: terminal.stop });
        return {
          data: found,
          lines: () => (found.trailer === undefined ? [] : [found.trailer]),
          isDocument: true,
        };
      });
    const commits = flags.text("commits");
    return withStore(terminal, async (host) => {
      const asked = commits === undefined ? {} : { commits };
      const typed = { command: "git", flags: counting, given: flags };
      const found = await ask(host, gitScan, asked, { signal: terminal.stop, typed });
      return { data: found, lines: (context) => renderScan(found, context) };
    });
  },
};

function renderScan(found: ResultOf<typeof gitScan>, { paint }: RenderContext): string[] {
  const { ties, gone, unknown, scanned, added, note } = found;
  if (note !== undefined) return [oneLine(note)];
  return [
    ...ties.map(
      ({ commit, subject, sessionId, how }) =>
        `${paint.cyan(commit)} ${shortId(sessionId)} ${oneLine(subject)} ${paint.dim(`(${how})`)}`,
    ),
    ...gone.map(
      ({ commit, sessionId, fate, now }) =>
        `${paint.cyan(commit)} ${shortId(sessionId)} ${fate}${now === undefined ? "" : ` as ${now}`}`,
    ),
    ...unknown.map(({ commit, trailer }) =>
      paint.dim(`${commit} refers to a session that is not in the store: ${oneLine(trailer)}`),
    ),
    `${count(scanned, "commit")} scanned, ${count(ties.length, "link")}, ${added} new.`,
  ];
}

async function changeHook(terminal: Terminal, change: "install" | "remove"): Promise<Answer> {
  const hook = await terminal.commitHook();
  const done = await hook[change](terminal.directory);
  if (!done)
    throw new CommandFailure("This directory is not in a git repository.", {
      next: "Run the command inside a repository.",
    });
  if (done.refused !== undefined) throw new CommandFailure(done.refused, { next: "Nothing was changed." });
  const state = change === "install" ? "installed" : "removed";
  const kept = done.before === undefined ? [] : [`The existing hook still runs: ${done.before}`];
  return {
    data: done,
    lines: () => [
      done.changed
        ? `Hook ${state}: ${done.file}`
        : `Nothing to do: the hook is ${change === "install" ? "already" : "not"} installed.`,
      ...kept,
    ],
  };
}
