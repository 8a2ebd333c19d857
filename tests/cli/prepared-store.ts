import { join } from "node:path";
import type { Note } from "../../src/domain/knowledge/note.ts";
import { sessionDraft, think } from "../support/ledger.ts";
import { tempDir } from "../support/temp-dir.ts";
import { openTree } from "../support/views/tree.ts";

export const loginSession = "5e551011-0000-4000-8000-00000000a11a";
export const planSession = "5e551022-0000-4000-8000-00000000b22b";

export const longBranch = "the-kernel-closes-idle-sockets-after-60-seconds";

/** The time a quarter of an hour after everything was recorded. */
export const later = "2026-11-15T12:15:00.000Z";

/** Fills the store that the pictures show: two sessions, a nested branch, a revision, hostile text, notes. */
export async function prepareStore(directory = join(tempDir(), "data")): Promise<string> {
  const { store, ledger, tree, close } = openTree({ directory });
  await ledger.createSession(
    sessionDraft({ id: loginSession, title: "Why do logins time out?", tags: ["example"] }),
  );
  const ponder = (more: Parameters<typeof think>[2]) => think(ledger, loginSession, more);
  await ponder({
    thought:
      "S1|O|Every login has hit a timeout since noon, between 12:00 and 12:10, on all three machines behind the balancer",
  });
  await ponder({
    thought: "S2|H|S1|The connection pool is too small",
    cipher: [{ number: 2, type: "H", references: [{ number: 1 }] }],
  });
  await ponder({ thought: "Or does the proxy drop idle sockets?", branchFromThought: 1, branchId: "proxy" });
  await ponder({ thought: "It resets after 60 seconds of silence.", branchId: "proxy" });
  await ponder({
    ...{ thought: "What if the kernel closes them?", branchId: longBranch },
    ...{ branchFromThought: 2, branchFromBranch: "proxy" },
  });
  await ponder({ thought: "S4|R|^S2|It is DNS: the resolver restarts at noon", revisesThought: 2 });
  await ponder({ thought: "Two lines,\none \u001b[31mred\u001b[0m escape and 日本語の文字 \u202e" });
  await ponder({
    thought: "S5|C|S4|Pin the resolver",
    nextThoughtNeeded: false,
    timestamp: "2026-11-15T12:10:00.000Z",
  });
  await ledger.createSession(
    sessionDraft({
      ...{ id: planSession, project: "shop" },
      title: "A migration plan for the ledger of the payments service, with a rollback at every single step",
    }),
  );
  await think(ledger, planSession, { thought: "Begin with the smallest table" });
  for (const note of notes) await store.knowledge.createNote("_default", note, undefined);
  await tree.flush();
  await close();
  return directory;
}

const times = { createdAt: "2026-11-15T11:00:00.000Z", updatedAt: "2026-11-15T11:00:00.000Z" };
const notes: Note[] = [
  {
    ...{ kind: "pattern", id: "check-the-pool", title: "Check the pool", tags: ["debugging"] },
    ...{ description: "Waiting looks like slow work.", content: "Count the waiting connections first." },
    ...{ derivedFromSessions: [loginSession], ...times },
  },
  {
    ...{ kind: "scratchpad", id: "handover", title: "Handover", description: "", tags: [] },
    ...{ content: "Next: the proxy.", derivedFromSessions: [], ...times },
  },
];
