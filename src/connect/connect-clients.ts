import { existsSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type ClientName, clientNames, clientTitles } from "../kernel/client-names.ts";
import type { Clock } from "../kernel/clock.ts";
import type { ClientStatus, Clients, ConnectRefused, ConnectReport, FileChange } from "../ports/clients.ts";
import {
  connectRefusal,
  deleteFile,
  hashOf,
  isConnectRefusal,
  readText,
  refuseLinks,
  refuseReadOnly,
  removeEmptyFolders,
  replaceFile,
} from "./client-files.ts";
import { type ClientHomes, clientTable, type Launch, type Wanted } from "./client-table.ts";
import {
  appendBlock,
  hasMember,
  hasTable,
  type Insertion,
  insertInto,
  insertMember,
  removeBlock,
  removeMember,
} from "./edit-settings.ts";
import { createJournals, type Journal, type JournalEntry } from "./journal.ts";

type Surroundings = {
  homes: ClientHomes;
  launch: Launch;
  dataDir: string;
  /** The person's home directory, which contains the default data directory. */
  home: string;
  clock: Clock;
};

/** A planned change that has not been applied yet. */
type Step = FileChange & { after: string; entry: JournalEntry };

export function createClients({ homes, launch, dataDir, home, clock }: Surroundings): Clients {
  const journals = createJournals(dataDir, home);

  function statusOf(client: ClientName): ClientStatus {
    const { parts } = clientTable[client];
    const title = clientTitles[client];
    const journal = journals.read(client);
    return {
      client,
      title,
      found: existsSync(homes[client]),
      parts,
      connected: journal && { at: journal.at, version: journal.version },
      trouble: journal && findTrouble(journal),
      hooksRanAt: lastHook(dataDir, client),
    };
  }

  function plan(client: ClientName): { steps: Step[]; notes: string[] } {
    const steps: Step[] = [];
    const notes: string[] = [];
    for (const wanted of clientTable[client].wants(homes[client], launch))
      about(wanted.path, () => {
        refuseLinks(homes[client], wanted.path);
        refuseReadOnly(wanted.path);
        const before = readText(wanted.path);
        if (isThere(wanted, before))
          notes.push(`${wanted.path} already has a thoughtbox server, so Thoughtbox did not change it.`);
        else steps.push(planStep(wanted, before, steps.length));
      });
    return { steps, notes };
  }

  function apply(client: ClientName, steps: readonly Step[]): void {
    const journal: Journal = {
      client,
      at: clock().toISOString(),
      version: launch.version,
      programs: [launch.node, launch.program, launch.hook],
      entries: steps.map(({ entry }) => entry),
      folders: [],
    };
    for (const { before, entry } of steps)
      if (before !== undefined && entry.backup !== undefined) journals.keep(client, entry.backup, before);
    // Written before the first file changes, so that an interrupted connection can be removed too.
    journals.write(journal);
    const folders: string[] = [];
    try {
      for (const { path, after } of steps) folders.push(...replaceFile(path, after));
    } catch (thrown) {
      journals.write({ ...journal, folders });
      undo(client);
      throw thrown;
    }
    journals.write({ ...journal, folders });
  }

  function undo(client: ClientName): { changes: FileChange[]; notes: string[] } {
    const { changes, notes, folders } = planRemoval(client);
    for (const { path, before, after } of changes) {
      if (before === undefined) continue;
      if (after === undefined) deleteFile(path);
      else replaceFile(path, after);
    }
    removeEmptyFolders(folders);
    journals.forget(client);
    return { changes, notes };
  }

  function planRemoval(client: ClientName): {
    changes: FileChange[];
    notes: string[];
    folders: readonly string[];
  } {
    const journal = journals.read(client);
    const notes: string[] = [];
    const changes = (journal?.entries ?? []).flatMap((entry) =>
      about(entry.path, () => {
        refuseLinks(homes[client], entry.path);
        const before = readText(entry.path);
        if (before === undefined) return [];
        const { after, note } = withoutOurs(client, entry, before);
        if (note !== undefined) notes.push(note);
        return after === before ? [] : [{ path: entry.path, before, after }];
      }),
    );
    return { changes, notes, folders: journal?.folders ?? [] };
  }

  /** Returns the current content of a file without our additions. */
  function withoutOurs(
    client: ClientName,
    entry: JournalEntry,
    now: string,
  ): { after: string | undefined; note?: string } {
    const { path, before, backup } = entry;
    if (hashOf(now) === before) return { after: now };
    if (hashOf(now) === entry.after) {
      if (before === null) return { after: undefined };
      const kept = backup === undefined ? undefined : journals.readKept(client, backup);
      if (kept !== undefined && hashOf(kept) === before) return { after: kept };
    }
    if (entry.kind === "own") {
      const place = journals.setAside(client, basename(path), now);
      return { after: undefined, note: `${path} was changed after it was written. A copy is in ${place}.` };
    }
    const verbatim = cutOnce(now, entry.inserted ?? "");
    if (verbatim !== undefined) return { after: verbatim };
    const cut =
      entry.kind === "block" ? removeBlock(now, entry.inserted ?? "") : removeMember(now, entry.member ?? []);
    return cut === undefined
      ? {
          after: now,
          note: `${path} has changed, so Thoughtbox cannot tell its own entry from yours. If the file still contains the entry, remove it by hand.`,
        }
      : { after: cut, note: `${path} had other changes. Thoughtbox removed only its own entry.` };
  }

  function connect(client: ClientName, dryRun: boolean): ConnectReport {
    const previous = journals.read(client);
    const { note } = clientTable[client];
    const title = clientTitles[client];
    if (!existsSync(homes[client]))
      throw connectRefusal(
        `${title} was not found: there is no ${homes[client]}. Start ${title} once, then run this command again.`,
      );
    if (dryRun && previous) return { client, changes: [], notes: [`${title} is already connected.`] };
    // A connection that an earlier installation made is removed first, so that one journal always restores everything.
    const removed = previous && undo(client);
    const { steps, notes } = plan(client);
    if (!dryRun && steps.length > 0) apply(client, steps);
    const changes = steps.map(({ path, before, after }) => ({ path, before, after }));
    const said = [...(removed?.notes ?? []), ...notes, ...(note === undefined ? [] : [note])];
    return { client, changes, notes: said };
  }

  return {
    list: () => clientNames.map(statusOf),
    connect: (client, { dryRun }) => orRefused(client, () => connect(client, dryRun)),
    remove: (client, { dryRun }) =>
      orRefused(client, () => {
        const { changes, notes } = dryRun ? planRemoval(client) : undo(client);
        return { client, changes, notes };
      }),
  };
}

function orRefused<Report>(client: ClientName, work: () => Report): Report | ConnectRefused {
  try {
    return work();
  } catch (thrown) {
    if (isConnectRefusal(thrown)) return { client, refused: thrown.message };
    throw thrown;
  }
}

/** Adds the file's path to a refusal. */
function about<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    if (isConnectRefusal(thrown)) throw connectRefusal(`${path} was not changed: ${thrown.message}.`);
    throw thrown;
  }
}

function isThere(wanted: Wanted, before: string | undefined): boolean {
  if (before === undefined) return false;
  if (wanted.kind === "own") {
    // Thoughtbox wrote this text in an earlier connection. Its journal was deleted with the data directory.
    if (before === wanted.content) return false;
    throw connectRefusal("it already exists, and Thoughtbox did not write it");
  }
  return wanted.kind === "block" ? hasTable(before, wanted.table) : hasMember(before, wanted.member);
}

function planStep(wanted: Wanted, before: string | undefined, index: number): Step {
  const { path, kind } = wanted;
  if (wanted.kind === "own") {
    const entry = { path, kind, before: null, after: hashOf(wanted.content) };
    return { path, before, after: wanted.content, entry };
  }
  const shared = { path, kind, before: before === undefined ? null : hashOf(before) };
  const insertion: Insertion =
    wanted.kind === "block"
      ? appendBlock(before ?? "", wanted.lines)
      : insertMember(before ?? "", wanted.member, wanted.value);
  const after = insertInto(before ?? "", insertion);
  return {
    path,
    before,
    after,
    entry: {
      ...shared,
      after: hashOf(after),
      inserted: insertion.text,
      offset: insertion.offset,
      member: wanted.kind === "member" ? wanted.member : undefined,
      backup: before === undefined ? undefined : `${index}-${basename(path)}`,
    },
  };
}

function cutOnce(text: string, inserted: string): string | undefined {
  const at = inserted === "" ? -1 : text.indexOf(inserted);
  if (at < 0 || text.indexOf(inserted, at + 1) >= 0) return undefined;
  return text.slice(0, at) + text.slice(at + inserted.length);
}

function findTrouble({ client, programs, entries }: Journal): string | undefined {
  const lost = programs.find((path) => !existsSync(path));
  if (lost !== undefined) return `${lost} is missing. Run thoughtbox connect ${client} again.`;
  const gone = entries.find(({ path }) => !existsSync(path));
  return gone && `${gone.path} is missing. Run thoughtbox connect ${client} again.`;
}

/** Returns when a client's hook last ran. Each time the hook runs, it touches a file for its client. */
function lastHook(dataDir: string, client: ClientName): string | undefined {
  return statSync(join(dataDir, "run", "hooks", client), { throwIfNoEntry: false })?.mtime.toISOString();
}
