import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectorySync } from "../../disk/make-directory.ts";
import { renameSafelySync } from "../../disk/naming.ts";
import { codeOf, readPlainly } from "../../disk/open-without-following.ts";
import type { Clock } from "../../kernel/clock.ts";
import type {
  ArchivedNotebook,
  NotebookArchive,
  NotebookFiles,
} from "../../ports/notebook/notebook-archive.ts";
import { longestFile, renderFiles } from "./notebook-folder.ts";
import { otherPlace, writeFiles } from "./with-notebook-files.ts";

type Difference = { path: string; problem: string; isThere: boolean };

/** Compares the files of notebooks with the store, byte by byte, and repairs them. */
export function createNotebookFiles(archive: NotebookArchive, dataDir: string, clock: Clock): NotebookFiles {
  async function* differing(): AsyncGenerator<{ notebook: ArchivedNotebook; differences: Difference[] }> {
    for (const id of await archive.listNotebookIds()) {
      const notebook = await archive.readLatest(id);
      if (notebook) yield { notebook, differences: compare(notebook, dataDir) };
    }
  }

  return {
    async findDifferences() {
      const said: string[] = [];
      for await (const { differences } of differing()) {
        const [first] = differences;
        if (first) said.push(`${first.path} ${first.problem}`);
      }
      return said;
    },
    async writeMissing() {
      for await (const { notebook, differences } of differing())
        if (differences.length > 0 && !differences.some(({ isThere }) => isThere))
          await writeFiles(notebook, dataDir);
    },
    async repair() {
      const report = { checked: 0, repaired: [] as string[], setAside: [] as string[] };
      const quarantine = join("quarantine", clock().toISOString().replace(/[:.]/g, "-"));
      for await (const { notebook, differences } of differing()) {
        report.checked += 1;
        if (differences.length === 0) continue;
        for (const { path } of differences.filter(({ isThere }) => isThere)) {
          const aside = join(quarantine, path);
          makeDirectorySync(join(dataDir, dirname(aside)));
          renameSafelySync(join(dataDir, path), join(dataDir, aside));
          report.setAside.push(aside);
        }
        await writeFiles(notebook, dataDir);
        report.repaired.push(notebook.id);
      }
      return report;
    },
  };
}

function compare(notebook: ArchivedNotebook, dataDir: string): Difference[] {
  const wrong = renderFiles(notebook).flatMap(({ path, content }): Difference[] => {
    try {
      const isSame = readPlainly(join(dataDir, path), longestFile).equals(Buffer.from(content));
      return isSame ? [] : [{ path, problem: "differs from the notebook in the store", isThere: true }];
    } catch (thrown) {
      const isThere = codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "ENOTDIR";
      return [{ path, problem: isThere ? `cannot be read (${codeOf(thrown)})` : "is missing", isThere }];
    }
  });
  const strays = otherPlace(notebook).filter((path) => existsSync(join(dataDir, path)));
  const belongs =
    notebook.deletedAt === undefined ? "is in the trash, the notebook is not" : "belongs in the trash";
  return [...wrong, ...strays.map((path) => ({ path, problem: belongs, isThere: true }))];
}
