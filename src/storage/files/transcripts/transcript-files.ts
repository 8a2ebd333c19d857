import { lstat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { TranscriptFiles, TranscriptRoot } from "../../../ports/transcript-files.ts";
import { isBelow } from "../read-contained.ts";
import { listTranscripts } from "./list-transcripts.ts";
import { openTranscript } from "./open-transcript.ts";

type TranscriptPlaces = {
  roots: TranscriptFiles["roots"];
  /** Where this process works. */
  workingDirectory: string;
};

/** Reads transcripts below the directories that are allowed, and opens nothing anywhere else. */
export function createTranscriptFiles({ roots, workingDirectory }: TranscriptPlaces): TranscriptFiles {
  return {
    roots,
    async openRoot(asked) {
      if (asked === undefined) {
        const first = (await firstExisting(roots)) ?? roots[0];
        return first && describe(first, first.directory);
      }
      if (!isAbsolute(asked) || asked.includes("\0")) return undefined;
      const directory = resolve(asked);
      const root = roots.find(
        (known) => known.directory === directory || isBelow(known.directory, directory),
      );
      return root && describe(root, directory);
    },
    async findRepository() {
      for (let directory = workingDirectory; ; directory = dirname(directory)) {
        if (await exists(join(directory, ".git"))) return directory;
        if (directory === dirname(directory)) return undefined;
      }
    },
  };
}

function describe(
  { directory: root, format }: TranscriptFiles["roots"][number],
  directory: string,
): TranscriptRoot {
  const steps = relative(root, directory).split(sep).filter(Boolean);
  return {
    directory,
    format,
    list: (below = "") => listTranscripts(root, steps, below.split("/").filter(Boolean)),
    open: (path) => openTranscript(root, directory, path),
  };
}

async function firstExisting(roots: TranscriptFiles["roots"]) {
  for (const root of roots) if (await exists(root.directory)) return root;
  return undefined;
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
