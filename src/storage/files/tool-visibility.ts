import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { codeOf } from "../../disk/open-without-following.ts";
import { type WriteOptions, writeWhole } from "../../disk/write-whole.ts";
import type { ToolChoice, ToolVisibility } from "../../ports/content.ts";
import { storageFailure } from "../../ports/storage-failures.ts";

const fileSchema = z.object({
  hiddenTools: z.array(z.string()).default([]),
  shownTools: z.array(z.string()).default([]),
});

const noChoice: ToolChoice = { hidden: [], shown: [] };

/** Keeps the choice in a separate small file, because a server reads it when it starts, before it opens the store. */
export function createToolFile(dataDir: string): ToolVisibility {
  const path = join(dataDir, "discovery.json");
  return {
    async readChoice() {
      try {
        const { hiddenTools, shownTools } = fileSchema.parse(JSON.parse(await readFile(path, "utf8")));
        return { hidden: hiddenTools, shown: shownTools };
      } catch {
        // If the file is missing or unreadable, the toolset alone decides which tools are shown.
        return noChoice;
      }
    },
    saveChoice: ({ hidden, shown }) =>
      writeFile(path, `${JSON.stringify({ hiddenTools: hidden, shownTools: shown })}\n`),
  };
}

export function createToolMemory(): ToolVisibility {
  let chosen = noChoice;
  return {
    readChoice: async () => chosen,
    async saveChoice(choice) {
      chosen = choice;
    },
  };
}

/** Writes the whole file and syncs it to disk. Errors become storage failures. */
export async function writeFile(
  path: string,
  content: string,
  as: WriteOptions["as"] = "replace",
): Promise<void> {
  try {
    await writeWhole(dirname(path), basename(path), content, { as, durable: true });
  } catch (cause) {
    throw storageFailure("file_unwritable", { errno: codeOf(cause) }, cause);
  }
}
