import { quote } from "../../../kernel/text.ts";
import type { FileRefusal, OpenTranscript, TranscriptRoot } from "../../../ports/transcript-files.ts";
import type { BaseContext } from "../../pipeline/context.ts";

type Refusing = BaseContext<"INVALID_PAYLOAD">;

/** The directory that a call reads from; anything outside the allowed ones is refused. */
export async function openRoot(context: Refusing, rootDir: string | undefined): Promise<TranscriptRoot> {
  const root = await context.transcripts.openRoot(rootDir);
  if (root) return root;
  return context.fail("INVALID_PAYLOAD", `Transcripts may not be read from ${quote(rootDir ?? "")}.`, {
    details: { hints: [{ kind: "prefix", field: "root_dir", expected: "a directory of transcripts" }] },
    recovery: {
      hint: "Leave root_dir out, or let the operator add the directory to THOUGHTBOX_TRANSCRIPT_ROOTS.",
    },
  });
}

const reasons: Readonly<Record<FileRefusal, string>> = {
  link: "is reached through a symbolic link",
  hard_link: "has further names (hard links)",
  not_a_file: "is not a regular file",
  missing: "is not there",
  unreadable: "cannot be read",
  outside: "is not a .jsonl file below root_dir",
};

/** The file that a caller names, or a refusal. */
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
    hint: "See which transcripts there are.",
    operation: "transcripts_digest",
    args: { root_dir: root.directory, cwd_prefix: "/", mode: "last" },
  };
  return opened.refused === "missing"
    ? context.fail("UNKNOWN_ID", message, { details, recovery })
    : context.fail("INVALID_PAYLOAD", message, { details, recovery });
}
