import { join } from "node:path";
import {
  branchesFolder,
  critiquePath,
  critiquesFolder,
  manifestName,
  thoughtPath,
} from "../../../domain/ledger/tree/layout.ts";
import type { LedgerSource } from "../ledger-source.ts";
import { listFolder } from "../read-file.ts";
import type { Difference } from "./compare-session.ts";

type Listed = { path: string; isFolder: boolean };

/**
 * What lies in a session's folder and belongs to nothing that was recorded. Something of the right name but the
 * wrong kind is no stranger: it stands where a file is missed.
 */
export async function findUnexpectedFiles(
  source: LedgerSource,
  sessionId: string,
  folder: string,
): Promise<Difference[]> {
  const listed = listSession(folder);
  // The list comes first, so that the file of a thought which arrives meanwhile is not taken for a stranger.
  const { files, folders } = await expected(source, sessionId);
  const unexpectedFiles = listed.filter(
    ({ path, isFolder }) => !files.has(path) && !(isFolder && folders.has(path)),
  );
  const inside = new Set(unexpectedFiles.map(({ path }) => `${path}/`));
  return unexpectedFiles
    .filter(({ path }) => !inside.has(path.slice(0, path.lastIndexOf("/") + 1)))
    .map(({ path }) => ({ path, kind: "foreign" as const, problem: "belongs to nothing that was recorded" }));
}

function listSession(folder: string): Listed[] {
  const list = (steps: string[]): Listed[] =>
    listFolder(join(folder, ...steps)).map((entry) => ({
      path: [...steps, entry.name].join("/"),
      isFolder: entry.isDirectory(),
    }));
  const branches = list([branchesFolder]);
  const inBranches = branches.filter(({ isFolder }) => isFolder).flatMap(({ path }) => list(path.split("/")));
  return [...list([]), ...list([critiquesFolder]), ...branches, ...inBranches];
}

async function expected(source: LedgerSource, sessionId: string) {
  const index = await source.ledger.loadIndex(sessionId);
  const { entries } = await source.ledger.readCritiqueChain(sessionId);
  const branches = index.branches();
  const files = new Set([
    manifestName,
    ...index.chain().map((thoughtNumber) => thoughtPath({ thoughtNumber })),
    ...branches.flatMap(({ branchId, numbers }) =>
      numbers.map((thoughtNumber) => thoughtPath({ branchId, thoughtNumber })),
    ),
    ...entries.map(({ position }) => critiquePath(position)),
  ]);
  const folders = new Set([
    branchesFolder,
    ...branches.map(({ branchId }) => `${branchesFolder}/${branchId}`),
    ...(entries.length > 0 ? [critiquesFolder] : []),
  ]);
  return { files, folders };
}
