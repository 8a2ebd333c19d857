import { fileURLToPath } from "node:url";
import { isWithin } from "../../../domain/transcripts/project-hints.ts";
import { quote } from "../../../kernel/text.ts";
import type { BaseContext } from "../../pipeline/context.ts";
import { findLockedDirectory } from "./project-lock.ts";

/** Which project is meant: the one that was named, the bound root, or the repository that the server works in. */
export async function choosePrefix(
  context: BaseContext<"INVALID_PAYLOAD">,
  asked: string | undefined,
): Promise<string | undefined> {
  const { caller, transcripts, warn } = context;
  const locked = await findLockedDirectory(context);
  if (locked !== undefined) return chooseBelow(context, locked, asked);
  if (asked === "/") return undefined;
  const prefix = asked ?? toPath(caller.binding?.boundRoot) ?? (await transcripts.findRepository());
  if (prefix === undefined)
    warn({
      code: "NO_PROJECT_FILTER",
      message: "No project is known, so the sessions of all projects were read; cwd_prefix names one.",
    });
  return prefix;
}

function chooseBelow(
  { fail, settings }: BaseContext<"INVALID_PAYLOAD">,
  locked: string,
  asked: string | undefined,
): string {
  if (asked === undefined || asked === "/") return locked;
  if (isWithin(asked, locked)) return asked;
  return fail(
    "INVALID_PAYLOAD",
    `This server is locked to project ${settings.project}; ${quote(asked)} is outside of it.`,
    { recovery: { hint: "Leave cwd_prefix out to read the project's own transcripts." } },
  );
}

function toPath(root: string | undefined): string | undefined {
  if (root === undefined) return undefined;
  try {
    return root.startsWith("file:") ? fileURLToPath(root) : root;
  } catch {
    return undefined;
  }
}
