import { signal } from "@preact/signals";
import type { FileAnswer, FileEntry, RepositoryAnswer } from "../../../src/observatory/wire-files.ts";
import type { Failed, Get } from "../http.ts";

export type Share = { explained: number; total: number };
export type RecentFile = RepositoryAnswer["recent"][number];
type Summary = Pick<RepositoryAnswer, "repository" | "recent" | "began">;
/** A row of the tree: a folder or a file. */
export type TreeRow = FileEntry & { path: string; depth: number; isOpen: boolean };

/** The maximum number of files whose share is counted. Git takes a while for each file. */
const MOST_SHARES = 60;

/** Reads the repository in which the server was started: folders, and how much of each file has a reason. */
export function createRepository({ get }: { get: Get }) {
  /** The summary, or `undefined` while the answer is being read. */
  const summary = signal<Summary | undefined>(undefined);
  const failure = signal<Failed | undefined>(undefined);
  const folders = signal<ReadonlyMap<string, { entries: readonly FileEntry[]; more: number }>>(new Map());
  const open = signal<ReadonlySet<string>>(new Set());
  const shares = signal<ReadonlyMap<string, Share | "unknown">>(new Map());
  let wanted: readonly string[] = [];
  let isCounting = false;

  async function read(folder: string) {
    const fetched = await get<RepositoryAnswer>("/api/repository", { folder });
    if ("failed" in fetched) {
      if (folder === "") failure.value = fetched.failed;
      return;
    }
    const { entries, more = 0, ...rest } = fetched.answer;
    folders.value = new Map(folders.peek()).set(folder, { entries, more });
    if (folder === "") {
      failure.value = undefined;
      summary.value = rest;
    }
  }

  /** Counts one file after the other, so that git never works on many at once. */
  async function count() {
    if (isCounting) return;
    isCounting = true;
    for (;;) {
      const path = wanted.find((one) => !shares.peek().has(one));
      if (path === undefined || shares.peek().size >= MOST_SHARES) break;
      const fetched = await get<FileAnswer>("/api/why", { file: path, text: "false" });
      const share = "answer" in fetched ? shareOf(fetched.answer) : "unknown";
      shares.value = new Map(shares.peek()).set(path, share);
    }
    isCounting = false;
  }

  function rowsIn(folder: string, depth: number): TreeRow[] {
    const { entries = [] } = folders.value.get(folder) ?? {};
    return entries.flatMap((entry) => {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isOpen = entry.isFolder && open.value.has(path);
      return [{ ...entry, path, depth, isOpen }, ...(isOpen ? rowsIn(path, depth + 1) : [])];
    });
  }

  const openFolders = (paths: readonly string[]) => {
    open.value = new Set([...open.peek(), ...paths]);
    for (const path of paths) if (!folders.peek().has(path)) void read(path);
  };
  return {
    summary,
    failure,
    shares,
    /** The visible rows of the tree, in order. */
    rows: (): TreeRow[] => rowsIn("", 0),
    /** Returns the number of entries in the root folder that are not listed. */
    more: () => folders.value.get("")?.more ?? 0,
    /** Reads the repository again, with every folder that is open. */
    refresh: () => Promise.all(["", ...open.peek()].map(read)),
    toggle(folder: string) {
      if (!open.peek().has(folder)) return openFolders([folder]);
      const rest = new Set(open.peek());
      rest.delete(folder);
      open.value = rest;
    },
    /** Opens the folders of a path, and the path itself if it is a folder. */
    reveal: (path: string) =>
      openFolders(path.split("/").map((_, at, names) => names.slice(0, at + 1).join("/"))),
    /** Sets the files whose share is needed, the most important ones first. */
    wantShares(paths: readonly string[]) {
      wanted = paths;
      void count();
    },
  };
}

/** Adds the shares of several files. Files whose share is unknown are left out. */
export function sumShares(shares: readonly (Share | "unknown" | undefined)[]): Share | undefined {
  const known = shares.filter((one) => typeof one === "object");
  if (known.length === 0) return undefined;
  const sum = (of: keyof Share) => known.reduce((total, share) => total + share[of], 0);
  return { explained: sum("explained"), total: sum("total") };
}

/** Returns a file's share, or `unknown` if the answer does not cover the whole file. */
function shareOf({ runs, total, next }: FileAnswer): Share | "unknown" {
  if (next !== undefined) return "unknown";
  const known = runs.filter(({ writer }) => writer !== undefined);
  return { explained: known.reduce((sum, { from, to }) => sum + to - from + 1, 0), total };
}

export type Repository = ReturnType<typeof createRepository>;
