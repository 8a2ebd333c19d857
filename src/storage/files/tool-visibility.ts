import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { ToolVisibility } from "../../ports/tool-visibility.ts";
import { writeFile } from "./write-file.ts";

const fileSchema = z.object({ hiddenTools: z.array(z.string()) });

/** A small file of its own: it is read when a server starts, before any store may be opened. */
export function createToolFile(dataDir: string): ToolVisibility {
  const path = join(dataDir, "discovery.json");
  return {
    async hiddenTools() {
      try {
        return fileSchema.parse(JSON.parse(await readFile(path, "utf8"))).hiddenTools;
      } catch {
        // No file, or one that nobody can read: then everything is shown.
        return [];
      }
    },
    saveHiddenTools: (hiddenTools) => writeFile(path, `${JSON.stringify({ hiddenTools })}\n`),
  };
}

export function createToolMemory(): ToolVisibility {
  let hidden: readonly string[] = [];
  return {
    hiddenTools: async () => hidden,
    async saveHiddenTools(names) {
      hidden = names;
    },
  };
}
