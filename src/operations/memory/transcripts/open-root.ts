import { fileURLToPath } from "node:url";
import { isWithin, type ProjectHint, sureHints } from "../../../domain/transcripts/project-hints.ts";
import { quote } from "../../../kernel/text.ts";
import type { FileRefusal, OpenTranscript, TranscriptRoot } from "../../../ports/transcript-files.ts";
import type { BaseContext } from "../../pipeline/context.ts";

type Refusing = BaseContext<"INVALID_PAYLOAD">;

/** Opens a directory of transcripts. Refuses any directory outside the allowed ones. */
export async function openRoot(context: Refusing, rootDir: string | undefined): Promise<TranscriptRoot> {
  const root = await context.transcripts.openRoot(rootDir);
  if (root) return root;
  return context.fail(
    "INVALID_PAYLOAD",
    `Thoughtbox is not allowed to read transcripts from ${quote(rootDir ?? "")}.`,
    {
      details: { hints: [{ kind: "prefix", field: "root_dir", expected: "a directory of transcripts" }] },
      recovery: {
        hint: "Omit root_dir, or ask the operator to add the directory to THOUGHTBOX_TRANSCRIPT_ROOTS.",
      },
    },
  );
}

const reasons: Readonly<Record<FileRefusal, string>> = {
  link: "is reached through a symbolic link",
  hard_link: "has other names (hard links)",
  not_a_file: "is not a regular file",
  missing: "does not exist",
  unreadable: "cannot be read",
  outside: "is not a .jsonl file below root_dir",
};

export async function openByName(
  context: Refusing & BaseContext<"UNKNOWN_ID">,
  root: TranscriptRoot,
  path: string,
): Promise<OpenTranscript> {
  const opened = await root.open(path);
  if (!("refused" in opened)) return opened;
  const message = `The transcript ${quote(path)} ${reasons[opened.refused]}.`;
  const details = { path, reason: opened.refused };
  const recovery = {
    hint: "List the existing transcripts.",
    operation: "transcripts_digest",
    args: { root_dir: root.directory, cwd_prefix: "/", mode: "last" },
  };
  return opened.refused === "missing"
    ? context.fail("UNKNOWN_ID", message, { details, recovery })
    : context.fail("INVALID_PAYLOAD", message, { details, recovery });
}

/**
 * Chooses the project. The requested project takes precedence over the bound root, which takes precedence
 * over the repository in which the server was started.
 */
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
      message:
        "The project is unknown, so the sessions of all projects were read. Choose one with cwd_prefix.",
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
    `This server is locked to project ${settings.project}, and ${quote(asked)} is outside it.`,
    { recovery: { hint: "Omit cwd_prefix to read the project's own transcripts." } },
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

type RefusingPrefix = BaseContext<"INVALID_PAYLOAD">;

/**
 * Returns the repository to which a locked server is limited, or `undefined` without a lock. Ignores a
 * client's roots, because the client chooses them.
 */
async function findLockedDirectory({
  settings,
  transcripts,
  fail,
}: RefusingPrefix): Promise<string | undefined> {
  if (!settings.projectLock) return undefined;
  const repository = await transcripts.findRepository();
  if (repository !== undefined) return repository;
  return fail(
    "INVALID_PAYLOAD",
    `This server is locked to project ${settings.project}, but Thoughtbox does not know which transcripts belong to it.`,
    { recovery: { hint: "Start the server in the project's repository." } },
  );
}

/** Refuses a transcript of another project, even if it was requested by path. */
export async function refuseForeign(
  context: RefusingPrefix,
  path: string,
  { hints }: { hints: readonly ProjectHint[] },
): Promise<void> {
  const locked = await findLockedDirectory(context);
  if (locked === undefined) return;
  if (sureHints(hints).some((hint) => isWithin(hint.path, locked))) return;
  context.fail(
    "INVALID_PAYLOAD",
    `This server is locked to project ${context.settings.project}, and the transcript ${quote(path)} belongs to another project.`,
    {
      recovery: {
        hint: "See the project's transcripts.",
        operation: "transcripts_digest",
        args: { mode: "last" },
      },
    },
  );
}
