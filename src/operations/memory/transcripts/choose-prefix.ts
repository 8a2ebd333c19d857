import { fileURLToPath } from "node:url";
import { isWithin, type ProjectHint, sureHints } from "../../../domain/transcripts/project-hints.ts";
import { quote } from "../../../kernel/text.ts";
import type { BaseContext } from "../../pipeline/context.ts";

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

type Refusing = BaseContext<"INVALID_PAYLOAD">;

/**
 * The directory that a locked server may read the transcripts of: the repository that it was started in. What a client
 * names as its root does not count, because clients choose their roots. `undefined` without a lock.
 */
async function findLockedDirectory({ settings, transcripts, fail }: Refusing): Promise<string | undefined> {
  if (!settings.projectLock) return undefined;
  const repository = await transcripts.findRepository();
  if (repository !== undefined) return repository;
  return fail(
    "INVALID_PAYLOAD",
    `This server is locked to project ${settings.project}, and which transcripts are of that project is not known.`,
    { recovery: { hint: "Start the server in the project's repository." } },
  );
}

/** A transcript that is named by its path must be of the project too. */
export async function refuseForeign(
  context: Refusing,
  path: string,
  { hints }: { hints: readonly ProjectHint[] },
): Promise<void> {
  const locked = await findLockedDirectory(context);
  if (locked === undefined) return;
  if (sureHints(hints).some((hint) => isWithin(hint.path, locked))) return;
  context.fail(
    "INVALID_PAYLOAD",
    `The transcript ${quote(path)} is not of project ${context.settings.project}, which this server is locked to.`,
    {
      recovery: {
        hint: "See the transcripts of the project.",
        operation: "transcripts_digest",
        args: { mode: "last" },
      },
    },
  );
}
