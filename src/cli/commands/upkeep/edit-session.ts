import {
  sessionDelete,
  sessionGet,
  sessionRestore,
  sessionUpdate,
} from "../../../operations/ledger/session/session.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { CommandFailure, notUnderstood } from "../../failure.ts";
import type { Host } from "../../host.ts";
import { nameSession } from "../../name-session.ts";
import { renderHint } from "../../rendering/statement.ts";
import { oneLine, shortId } from "../../rendering/words.ts";

/** Names a session by its title and project, so that a person notices if it is the wrong one. */
const nameOf = ({ title, project }: { title: string; project: string }): string =>
  `${oneLine(title)} (project ${oneLine(project)})`;

export const rm: Command = {
  name: "rm",
  aliases: ["delete"],
  group: "Care",
  summary: "Move a session to the trash.",
  words: ["<session>"],
  details: ["thoughtbox undelete restores it. thoughtbox trash --empty erases it permanently."],
  examples: [{ line: "thoughtbox rm latest", shows: "delete the newest session" }],

  run: ({ terminal, words: [word = ""] }) =>
    withStore(terminal, async (host) => {
      const sessionId = await nameSession(host, word, "change");
      const { session } = await ask(host, sessionGet, { sessionId });
      const deleted = await ask(host, sessionDelete, { sessionId, confirm: true });
      return {
        data: deleted,
        lines: (context) => [
          `Moved to the trash: ${nameOf(session)}`,
          ...renderHint(`Undo: thoughtbox undelete ${shortId(sessionId)}`, context),
        ],
      };
    }),
};

export const undelete: Command = {
  name: "undelete",
  group: "Care",
  summary: "Restore a deleted session from the trash.",
  words: ["[session]"],
  details: ["If no session is named, restores the one that was deleted last."],
  examples: [{ line: "thoughtbox undelete", shows: "the session that was deleted last" }],

  run: ({ terminal, words: [word] }) =>
    withStore(terminal, async (host) => {
      const sessionId = await nameDeleted(host, word);
      const restored = await ask(host, sessionRestore, { sessionId });
      return {
        data: restored,
        lines: () => [`Restored: ${shortId(sessionId)}  ${nameOf(restored.session)}`],
      };
    }),
};

/**
 * Finds a session in the trash by the beginning of its ID. If `word` is absent, chooses the most recently
 * deleted session.
 */
async function nameDeleted(host: Host, word: string | undefined): Promise<string> {
  const { things } = await host.trash.listTrash(1_000);
  const ids = things.flatMap(({ kind, id }) => (kind === "session" ? [id] : []));
  const [found, ...others] = word === undefined ? ids.slice(0, 1) : ids.filter((id) => id.startsWith(word));
  if (found === undefined)
    throw new CommandFailure(
      word === undefined
        ? "There is no session in the trash."
        : `No deleted session has an ID that begins with ${word}.`,
      { next: "thoughtbox trash lists what was deleted." },
    );
  if (others.length > 0)
    throw new CommandFailure(`Several deleted sessions have an ID that begins with ${word}.`, {
      next: "Type more characters of the ID.",
    });
  return found;
}

export const rename: Command = {
  name: "rename",
  group: "Care",
  summary: "Change a session's title.",
  words: ["<session>", "<title…>"],
  examples: [{ line: "thoughtbox rename latest Pool exhaustion", shows: "a better title" }],

  run: ({ terminal, words: [word = "", ...title] }) =>
    withStore(terminal, async (host) => {
      const sessionId = await nameSession(host, word, "change");
      const updated = await ask(
        host,
        sessionUpdate,
        { sessionId, title: title.join(" ") },
        { typed: { command: "rename", flags: {} } },
      );
      return {
        data: updated,
        lines: () => [`${shortId(sessionId)} is now: ${nameOf(updated.session)}`],
      };
    }),
};

export const tag: Command = {
  name: "tag",
  group: "Care",
  summary: "Add tags to a session, or remove them.",
  words: ["<session>", "<tags…>"],
  details: ["pool or +pool adds a tag, and -pool removes it. Put -- before the first tag with a minus."],
  examples: [
    { line: "thoughtbox tag latest pool postgres", shows: "add two tags" },
    { line: "thoughtbox tag latest -- -pool", shows: "remove one" },
  ],

  run: ({ terminal, words: [word = "", ...typed] }) =>
    withStore(terminal, async (host) => {
      if (typed.some((one) => one === "-")) throw notUnderstood("A tag needs a name: -pool removes pool.");
      const sessionId = await nameSession(host, word, "change");
      const { session } = await ask(host, sessionGet, { sessionId });
      const off = new Set(typed.flatMap((one) => (one.startsWith("-") ? [one.slice(1)] : [])));
      const on = typed.filter((one) => !one.startsWith("-")).map((one) => one.replace(/^\+(?=.)/, ""));
      const tags = [...new Set([...session.tags, ...on])].filter((one) => !off.has(one));
      const updated = await ask(
        host,
        sessionUpdate,
        { sessionId, tags },
        { typed: { command: "tag", flags: {} } },
      );
      const shown = updated.session.tags.map((one) => oneLine(one));
      const words = shown.length === 1 ? "has the tag" : "has the tags";
      return {
        data: updated,
        lines: () => [
          `${shortId(sessionId)} ${shown.length === 0 ? "has no tags now" : `${words} ${shown.join(", ")}`}.`,
          nameOf(session),
        ],
      };
    }),
};
