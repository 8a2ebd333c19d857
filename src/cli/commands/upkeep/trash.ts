import { count } from "../../../kernel/numbers.ts";
import type { EmptiedTrash, TrashedKind, TrashedThing } from "../../../ports/upkeep.ts";
import { withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Host, Terminal } from "../../host.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { renderHint } from "../../rendering/statement.ts";
import { renderTable } from "../../rendering/table.ts";
import { formatAge, oneLine, shortId } from "../../rendering/words.ts";
import { confirm } from "../../screen.ts";

const listed = 200;

export const trash: Command = {
  name: "trash",
  group: "Care",
  summary: "List what was deleted, or erase it permanently.",
  options: {
    empty: { describe: "Erase deleted sessions, notebooks and knowledge notes. You cannot undo this." },
    yes: { describe: "With --empty: erase without asking." },
  },
  details: [
    "Agents can delete and restore items, but cannot erase them. --empty keeps deleted memory branches, because other branches may depend on them. It also keeps exports and backups.",
  ],
  examples: [
    { line: "thoughtbox trash", shows: "what was deleted" },
    { line: "thoughtbox trash --empty --yes", shows: "erase it" },
  ],

  async run({ terminal, flags }) {
    if (flags.has("yes") && !flags.has("empty")) throw notUnderstood("--yes needs --empty.");
    return withStore(terminal, async (host) => {
      const found = host.forReader(await host.trash.listTrash(listed));
      if (!flags.has("empty")) return { data: found, lines: (context) => renderTrash(found, context) };
      const erased = await empty(terminal, host, found.things, flags.has("yes"));
      return { data: { erased }, lines: () => [describeErased(erased)] };
    });
  },
};

async function empty(
  terminal: Terminal,
  host: Host,
  things: readonly TrashedThing[],
  isAgreed: boolean,
): Promise<EmptiedTrash> {
  const goes = things.filter(({ kind }) => kind !== "branch");
  if (goes.length === 0) return { sessions: [], notebooks: [], notes: 0 };
  if (!isAgreed && !terminal.inputIsTerminal)
    throw new CommandFailure("This is not a terminal, so Thoughtbox cannot ask. Nothing was erased.", {
      next: "thoughtbox trash lists the items in the trash. --empty --yes erases them without asking.",
    });
  const many = things.length === listed ? `at least ${goes.length} items` : count(goes.length, "item");
  const isMeant = isAgreed || (await confirm(terminal, `Erase ${many} permanently? Type yes: `));
  if (!isMeant) throw new CommandFailure("Nothing was erased.");
  return host.trash.emptyTrash();
}

function describeErased({ sessions, notebooks, notes }: EmptiedTrash): string {
  if (sessions.length + notebooks.length + notes === 0) return "Nothing to erase.";
  return `Erased ${count(sessions.length, "session")}, ${count(notebooks.length, "notebook")}, ${count(notes, "note")}.`;
}

/** Returns the command that restores a thing. Omits names, because a shell may interpret their characters. */
const wayBack: Record<TrashedKind, (id: string) => string> = {
  session: (id) => `undelete ${shortId(id)}`,
  pattern: () => "call knowledge.restore",
  scratchpad: () => "call knowledge.restore",
  notebook: (id) => `call notebook.restore notebookId=${id}`,
  branch: () => "call branch_restore",
};

function renderTrash(
  { things, total }: { things: readonly TrashedThing[]; total: number },
  context: RenderContext,
): string[] {
  const { paint, now } = context;
  if (total === 0) return ["The trash is empty."];
  const newest = [...new Map(things.toReversed().map((thing) => [thing.kind, thing])).values()];
  const ways = [...new Set(newest.map(({ kind, id }) => wayBack[kind](id)))].sort();
  const isErasable = things.some(({ kind }) => kind !== "branch");
  return [
    ...renderTable(
      context,
      [
        { title: "kind", cell: ({ kind }) => kind, paint: paint.dim, expendable: 1 },
        {
          title: "id",
          cell: ({ kind, id }) => (kind === "session" ? shortId(id) : oneLine(id)),
          paint: paint.cyan,
        },
        { title: "title", cell: ({ title }) => oneLine(title), flexible: 20 },
        { title: "project", cell: ({ place }) => place, paint: paint.dim, expendable: 2 },
        { title: "deleted", cell: ({ deletedAt }) => formatAge(deletedAt, now), align: "right" },
      ],
      things,
    ),
    "",
    ...(total > things.length
      ? [paint.dim(`${count(total - things.length, "more item")} in the trash.`)]
      : []),
    ...ways.flatMap((way) => renderHint(`Restore: thoughtbox ${way}`, context)),
    ...(isErasable ? renderHint("Erase them permanently: thoughtbox trash --empty", context) : []),
  ];
}
