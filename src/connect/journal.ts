import { lstatSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeDirectorySync } from "../disk/make-directory.ts";
import { claimPlace, isOwnPlace } from "../disk/own-places.ts";
import { writeWholeSync } from "../disk/write-whole.ts";
import type { ClientName } from "../kernel/client-names.ts";

/** One file that was written, and how to undo the change. */
export type JournalEntry = {
  path: string;
  kind: "own" | "member" | "block";
  /** `null` if the file did not exist. */
  before: string | null;
  after: string;
  /** The text that was added to a person's file. */
  inserted?: string | undefined;
  offset?: number | undefined;
  member?: readonly string[] | undefined;
  /** Name of the copy beside the journal. */
  backup?: string | undefined;
};

export type Journal = {
  client: ClientName;
  at: string;
  version: string;
  /** The programs that the client starts because of the files that were written. */
  programs: readonly string[];
  entries: readonly JournalEntry[];
  /** Folders that were created. */
  folders: readonly string[];
};

/**
 * `<dataDir>/connect` contains a journal per client and copies of the original files. A journal names files to change
 * and what to write into them, so it is ignored if this person did not create it.
 */
export function createJournals(dataDir: string, home: string) {
  const folder = join(dataDir, "connect");
  const backups = (client: ClientName) => join(folder, client);

  return {
    read(client: ClientName): Journal | undefined {
      const file = join(folder, `${client}.json`);
      if (!lstatSync(file, { throwIfNoEntry: false }) || !isOwnPlace(dataDir, home)) return undefined;
      return JSON.parse(readFileSync(file, "utf8")) as Journal;
    },
    write(journal: Journal): void {
      claimPlace(dataDir, home);
      makeDirectorySync(folder);
      const content = `${JSON.stringify(journal, undefined, 2)}\n`;
      writeWholeSync(folder, `${journal.client}.json`, content, { as: "replace", durable: true });
    },
    keep(client: ClientName, name: string, content: string): void {
      makeDirectorySync(backups(client));
      writeWholeSync(backups(client), name, content, { as: "replace", durable: true });
    },
    readKept: (client: ClientName, name: string): string => readFileSync(join(backups(client), name), "utf8"),
    /** Keeps a copy of a file that the person changed and that must be deleted. */
    setAside(client: ClientName, name: string, content: string): string {
      const place = join(folder, "set-aside");
      makeDirectorySync(place);
      writeWholeSync(place, `${client}-${name}`, content, { as: "replace", durable: true });
      return join(place, `${client}-${name}`);
    },
    forget(client: ClientName): void {
      rmSync(join(folder, `${client}.json`), { force: true });
      rmSync(backups(client), { recursive: true, force: true });
    },
  };
}
