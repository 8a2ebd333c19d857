import { fileURLToPath } from "node:url";
import type { BaseContext } from "../../pipeline/context.ts";

/** Which project is meant: the one that was named, the bound root, or the repository that the server works in. */
export async function choosePrefix(
  { caller, transcripts, warn }: BaseContext,
  asked: string | undefined,
): Promise<string | undefined> {
  if (asked === "/") return undefined;
  const prefix = asked ?? toPath(caller.binding?.boundRoot) ?? (await transcripts.findRepository());
  if (prefix === undefined)
    warn({
      code: "NO_PROJECT_FILTER",
      message: "No project is known, so the sessions of all projects were read; cwd_prefix names one.",
    });
  return prefix;
}

function toPath(root: string | undefined): string | undefined {
  if (root === undefined) return undefined;
  try {
    return root.startsWith("file:") ? fileURLToPath(root) : root;
  } catch {
    return undefined;
  }
}
