import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { ToolChoice, ToolVisibility } from "../../ports/tool-visibility.ts";
import { writeFile } from "./write-file.ts";

const fileSchema = z.object({
  hiddenTools: z.array(z.string()).default([]),
  shownTools: z.array(z.string()).default([]),
});

const noChoice: ToolChoice = { hidden: [], shown: [] };

/** A small file of its own: it is read when a server starts, before any store may be opened. */
export function createToolFile(dataDir: string): ToolVisibility {
  const path = join(dataDir, "discovery.json");
  return {
    async readChoice() {
      try {
        const { hiddenTools, shownTools } = fileSchema.parse(JSON.parse(await readFile(path, "utf8")));
        return { hidden: hiddenTools, shown: shownTools };
      } catch {
        // No file, or one that nobody can read: then the toolset alone decides.
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
