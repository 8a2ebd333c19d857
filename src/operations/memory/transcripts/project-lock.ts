import { isWithin, type ProjectHint, sureHints } from "../../../domain/transcripts/project-hints.ts";
import { quote } from "../../../kernel/text.ts";
import type { BaseContext } from "../../pipeline/context.ts";

type Refusing = BaseContext<"INVALID_PAYLOAD">;

/**
 * The directory that a locked server may read the transcripts of: the repository that it was started in. What a client
 * names as its root does not count, because clients choose their roots. `undefined` without a lock.
 */
export async function findLockedDirectory({
  settings,
  transcripts,
  fail,
}: Refusing): Promise<string | undefined> {
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
