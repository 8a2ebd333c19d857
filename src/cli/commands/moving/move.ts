import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { count, figure } from "../../../kernel/numbers.ts";
import type { StoreSurvey } from "../../../ports/ledger-dump.ts";
import { flushFiles } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure } from "../../failure.ts";
import type { Host, Terminal } from "../../host.ts";
import { createProgressBar } from "../../rendering/progress.ts";
import { indented, renderShortList, renderStatement } from "../../rendering/statement.ts";
import { describeMemory } from "../../rendering/words.ts";

const engines = ["postgres", "fs"] as const;
type Engine = (typeof engines)[number];
const places = { postgres: "PostgreSQL", fs: "the data directory" } as const;

/** If the stores still differ after this many rounds, the command asks the person to stop the writers. */
const maxRounds = 3;

export const move: Command = {
  name: "move",
  group: "Move",
  summary: "Copy everything from the data directory to PostgreSQL, or back, and verify the copy.",
  options: {
    to: {
      value: "engine",
      describe: "Target: postgres (DATABASE_URL) or fs (the data directory).",
      choices: engines,
    },
    check: { describe: "Show what would be moved, and write nothing." },
  },
  details: [
    "Copies everything, including all versions and the trash. Does not change the source or overwrite anything in the target.",
    "If a move is interrupted, run it again. The second run skips what the target already has. At the end, move compares the stores: sessions by head hash, everything else by count and digest.",
  ],
  examples: [{ line: "thoughtbox move --help", shows: "this page (a move needs DATABASE_URL)" }],

  async run({ terminal, flags }) {
    const to = readEngine(flags.text("to"));
    const check = flags.has("check");
    const [source, target] = await openBoth(terminal, to);
    try {
      const before = await look(terminal, source, target);
      const clashes = before.differing.filter((thing) => !thing.startsWith("session "));
      if (check) return describeCheck(to, before);
      let found = before;
      for (let round = 0; round < maxRounds && hasWork(found); round += 1) {
        await transfer(terminal, source, target);
        found = await look(terminal, source, target);
      }
      const isDone = !hasWork(found);
      return {
        data: { to, moved: before.missing.length, verified: found.same, ...onlyList(found), isDone },
        lines: (context) => [
          ...renderStatement(
            isDone ? "good" : "bad",
            isDone
              ? `${capitalise(places[to])} has everything: ${describeCounts(found.counts)}.`
              : `${count(found.missing.length + found.differing.length, "item")} could not be moved.`,
            context,
          ),
          ...indented(
            isDone ? `${count(found.same, "item")} verified. ${nextStep[to]}` : hintFor(clashes),
            context,
          ),
          ...renderShortList([...found.differing, ...found.missing], context, 0),
        ],
        failed: !isDone,
      };
    } finally {
      await Promise.allSettled([source.close(), target.close()]);
    }
  },
};

const nextStep = {
  postgres: "To use it, set THOUGHTBOX_STORAGE=postgres for your servers.",
  fs: "To use it, set THOUGHTBOX_STORAGE=fs, or remove the setting.",
} as const;

const hintFor = (clashes: readonly string[]): string =>
  clashes.length > 0
    ? "The target has items with the same names but different contents. Move to an empty target, or set another THOUGHTBOX_TENANT."
    : "Stop the servers that write to either store, then run the same command again.";

function readEngine(to: string | undefined): Engine {
  const found = engines.find((engine) => engine === to);
  if (found) return found;
  throw new CommandFailure("Choose the target: --to postgres, or --to fs.", {
    next: "thoughtbox move --to postgres --check",
  });
}

async function openBoth(terminal: Terminal, to: Engine): Promise<[source: Host, target: Host]> {
  const from: Engine = to === "fs" ? "postgres" : "fs";
  if (!terminal.settings().some(({ key, source }) => key === "databaseUrl" && source !== "default"))
    throw new CommandFailure(`--to ${to} needs DATABASE_URL.`, {
      next: "Set DATABASE_URL, such as postgres://user:password@host:5432/thoughtbox.",
    });
  const source = await terminal.openStore({ THOUGHTBOX_STORAGE: from });
  try {
    return [source, await terminal.openStore({ THOUGHTBOX_STORAGE: to })];
  } catch (thrown) {
    await source.close();
    throw thrown;
  }
}

type Looked = {
  counts: StoreSurvey["counts"];
  /** Things in the source that the target lacks (`missing`), or that differ there (`differing`). */
  missing: string[];
  differing: string[];
  same: number;
};

const hasWork = ({ missing, differing }: Looked): boolean => missing.length + differing.length > 0;

const onlyList = ({ missing, differing }: Looked) => ({
  missing: missing.slice(0, 100),
  differing: differing.slice(0, 100),
});

/** Compares both stores without writing. Treats a target that has no tables, or no file, as empty. */
async function look(terminal: Terminal, source: Host, target: Host): Promise<Looked> {
  const { from } = await target.migrate({ check: true });
  const there = from === 0 ? undefined : await survey(terminal, target, "reading the target");
  const { counts, things } = await survey(terminal, source, "reading the source");
  const looked: Looked = { counts, missing: [], differing: [], same: 0 };
  for (const [thing, state] of things) {
    const found = there?.things.get(thing);
    if (found === state) looked.same += 1;
    else looked[found === undefined ? "missing" : "differing"].push(thing);
  }
  return looked;
}

async function survey(terminal: Terminal, host: Host, label: string): Promise<StoreSurvey> {
  const bar = createProgressBar(terminal, label);
  return host
    .survey({ signal: terminal.stop, progress: bar.update, memoryProgress: bar.update })
    .finally(bar.end);
}

/** Copies the store through a private file in the data directory. */
async function transfer(terminal: Terminal, source: Host, target: Host): Promise<void> {
  await target.migrate({ check: false });
  const { path } = source.inspectDirectory();
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const file = join(path, "move.jsonl");
  rmSync(file, { force: true });
  const dumping = createProgressBar(terminal, "reading");
  const restoring = createProgressBar(terminal, "moving");
  const options = (bar: typeof dumping) => ({
    signal: terminal.stop,
    progress: bar.update,
    memoryProgress: bar.update,
  });
  try {
    await source.dump(file, options(dumping)).finally(dumping.end);
    await target.restore(file, options(restoring)).finally(restoring.end);
    await flushFiles(terminal, target);
  } finally {
    rmSync(file, { force: true });
  }
}

const describeCounts = ({ sessions, thoughts, notes, notebooks, memory }: StoreSurvey["counts"]): string =>
  [
    count(sessions, "session"),
    count(thoughts, "thought"),
    ...(notes > 0 ? [count(notes, "knowledge note")] : []),
    ...(notebooks > 0 ? [count(notebooks, "notebook")] : []),
    ...(memory.workspaces > 0 ? [describeMemory(memory)] : []),
  ].join(", ");

function describeCheck(to: Engine, looked: Looked) {
  const { counts, missing, differing, same } = looked;
  return {
    data: { to, counts, same, ...onlyList(looked) },
    lines: (context: Parameters<typeof renderStatement>[2]) => [
      ...renderStatement("good", `The source has ${describeCounts(counts)}.`, context),
      ...indented(
        `To move to ${places[to]}: ${figure(missing.length)}. Already in the target: ${figure(same)}. Different in the target: ${figure(differing.length)}. Nothing was changed.`,
        context,
      ),
      ...renderShortList(differing, context, 0),
    ],
  };
}

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
