import { setTimeout as sleep } from "node:timers/promises";
import { escapeInvisible } from "../../../kernel/text.ts";
import { sessionGet } from "../../../operations/ledger/session/session.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command, Flags } from "../../command.ts";
import { notUnderstood } from "../../failure.ts";
import type { Host, Terminal } from "../../host.ts";
import { nameSession } from "../../name-session.ts";
import { proseWidth, type RenderContext } from "../../rendering/render-context.ts";
import { cut, textWidth, wrap } from "../../rendering/width.ts";
import { oneLine } from "../../rendering/words.ts";
import { renderContext } from "../../screen.ts";

type Entry = Awaited<ReturnType<Host["ledger"]["readEntries"]>>[number];

/** How often to look for new thoughts. This feels live, and looking takes hardly any time. */
const everyMs = 500;
const pageSize = 200;

export const watch: Command = {
  name: "watch",
  group: "Look",
  summary: "Follow a session in the terminal as it grows.",
  words: ["[session]"],
  options: {
    last: { value: "number", short: "n", describe: "How many earlier thoughts to show first. Default: 5." },
  },
  details: [
    "If no session is named, follows the newest one. Stop with Ctrl-C.",
    "The command exits when the session is completed.",
  ],
  examples: [
    { line: "thoughtbox watch", shows: "the newest session" },
    { line: "thoughtbox watch latest -n 0", shows: "only what is new" },
  ],

  async run({ terminal, words: [word = "latest"], flags }) {
    const earlier = readCount(flags);
    const asJson = flags.has("json");
    const context = renderContext(terminal, flags);
    return withStore(terminal, async (host) => {
      const sessionId = await nameSession(host, word);
      const { session } = await ask(host, sessionGet, { sessionId });
      const print = (entry: Entry): void =>
        terminal.out(
          asJson ? `${JSON.stringify(entry.data)}\n` : `${renderThought(entry.data, context).join("\n")}\n`,
        );
      const title = wrap(oneLine(session.title), context.width).map(context.paint.bold);
      if (!asJson) terminal.out(`${title.join("\n")}\n`);
      const after = Math.max(0, session.thoughtCount - earlier);
      const status = await follow({ host, terminal, sessionId, after, print });
      if (status !== undefined && !flags.has("quiet")) terminal.error(`The session is ${status}.\n`);
      return 0;
    });
  },
};

const mostEarlier = 999_999;

/** Returns how many earlier thoughts to print. The parser has already refused text that is not a number. */
function readCount(flags: Flags): number {
  const earlier = Number(flags.text("last") ?? 5);
  if (earlier <= mostEarlier) return earlier;
  throw notUnderstood(
    `${flags.typed("last")} must be at most ${mostEarlier}, not ${flags.text("last")}.`,
    "See thoughtbox watch --help",
  );
}

type Following = {
  host: Host;
  terminal: Terminal;
  sessionId: string;
  /** Prints only thoughts after this position. */
  after: number;
  print(entry: Entry): void;
};

/** Returns how the session ended, or `undefined` if the person stopped first. */
async function follow({ host, terminal, sessionId, after, print }: Following): Promise<string | undefined> {
  let position = after;
  for (;;) {
    const page = await host.ledger.readEntries(sessionId, position, pageSize);
    for (const entry of page) {
      position = entry.position;
      print(host.forReader(entry));
    }
    if (page.length === pageSize) continue;
    if (terminal.stop.aborted) return undefined;
    const { session } = await ask(host, sessionGet, { sessionId });
    if (session.status !== "active") return session.status;
    await sleep(everyMs, undefined, { signal: terminal.stop }).catch(() => undefined);
    if (terminal.stop.aborted) return undefined;
  }
}

function renderThought(
  { thought, thoughtNumber, branchId, timestamp, revisesThought }: Entry["data"],
  { paint, width }: RenderContext,
): string[] {
  const notes = [timeOfDay(timestamp), ...(revisesThought ? [`revises ${revisesThought}`] : [])].join(" · ");
  const room = width - textWidth(notes) - String(thoughtNumber).length - 3;
  const place = branchId === undefined ? `${thoughtNumber}` : `${cut(branchId, room)} ${thoughtNumber}`;
  const text = escapeInvisible(thought)
    .replaceAll("\t", "  ")
    .split(/\r\n|\r|\n/)
    .flatMap((line) => wrap(line, Math.min(width, proseWidth) - 2))
    .map((line) => `  ${line}`.trimEnd());
  return ["", `${paint.bold(place)}  ${paint.dim(notes)}`, ...text];
}

/** Formats the time of day in the time zone of the person who is watching. */
function timeOfDay(timestamp: string): string {
  const at = new Date(timestamp);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}
