import * as z from "zod";
import {
  type ImportedSession,
  readSessionExport,
  toSessionParts,
  withSessionId,
} from "../../../domain/ledger/import-export.ts";
import { sessionSchema } from "../../../domain/ledger/session.ts";
import { describeAddress } from "../../../domain/ledger/thought.ts";
import { count } from "../../../kernel/numbers.ts";
import type { SecretsPolicy } from "../../../kernel/secrets/secrets-policy.ts";
import { runInTurns, type Steps } from "../../../kernel/steps.ts";
import type { PartOutcome } from "../../../ports/ledger-import.ts";
import { storeActions } from "../../memory/transcripts/store-plan.ts";
import { isReachable, type OperationContext, onlyProject } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import type { Args } from "../../pipeline/operation.ts";
import { describeImportRefusal } from "../../pipeline/recoveries/ledger.ts";
import { toJsonText } from "../../pipeline/validation/validate.ts";

export const sessionImport = defineOperation({
  name: "session.import",
  family: "ledger",
  title: "Import a session",
  summary:
    "Imports a JSON export with its IDs, numbers, times and hashes. Never overwrites a different session.",
  toolset: "full",
  stage: "entry",
  effect: "write",
  scope: "caller",
  // An import keeps sealed text unchanged. See `warnOfSecrets`.
  secrets: { guard: [] },
  input: {
    content: z
      .string()
      .min(2)
      .max(3_500_000)
      .optional()
      .describe("The export as session.export returned it, or its JSON text."),
    pages: z
      .array(z.string().min(1).max(100_000))
      .min(1)
      .max(100)
      .optional()
      .describe("Pages of a large export in order, instead of content."),
    path: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "File to import instead of content, from the exports directory or another allowed directory.",
      ),
    onConflict: z
      .enum(["refuse", "new-id"])
      .default("refuse")
      .describe("What to do if a different session has the ID: refuse (default), or import under a new ID."),
  },
  spellings: { reshape: takeObjects },
  advanced: ["pages"],
  output: z.strictObject({
    sessionId: z.string(),
    session: sessionSchema,
    imported: z.int(),
    alreadyThere: z.literal(true).optional(),
  }),
  errors: ["INVALID_PAYLOAD", "CONFLICT", "STORAGE_ERROR"],
  examples: [{ title: "an exported file", given: "an exported session", input: { path: "review.json" } }],

  async handle({ content, pages, path, onConflict }, context) {
    const { fail } = context;
    if ([content, pages, path].filter((given) => given !== undefined).length !== 1) {
      return fail("INVALID_PAYLOAD", "Pass one of content, pages or path.");
    }
    const given = content ?? pages?.join("") ?? (await context.exports.read(path ?? ""));
    const read = await runInTurns(readSessionExport(given), context.signal);
    if (typeof read === "string") {
      const hint =
        "Nothing was imported. Export the session again from its original store, and import the new file. See the fields of session.import and an example.";
      const recovery = { hint, operation: "help", args: { topic: "session.import" } };
      return fail("INVALID_PAYLOAD", read, { recovery });
    }
    const { settings } = context;
    const { project } = read.record.session;
    if (!isReachable(settings, project)) {
      return fail(
        "INVALID_PAYLOAD",
        `The export belongs to project ${project}, but this server is locked to ${settings.project}.`,
        {
          recovery: {
            hint: `Import the session on a server for project ${project}, or on one without a lock.`,
          },
        },
      );
    }
    await warnOfSecrets(context, read);
    const first = await bringIn(context, read);
    if (first.refused === undefined)
      return answer(context, read.record.session.id, first.added, isKnown(first));
    if (onConflict === "refuse") {
      return fail(
        "CONFLICT",
        `Session ${read.record.session.id} cannot be imported: ${describeImportRefusal(first.refused)}.`,
        {
          recovery: {
            hint: "Import the session under a new ID.",
            operation: "session.import",
            args: { onConflict: "new-id" },
            patch: true,
          },
        },
      );
    }
    const renamed = await runInTurns(withSessionId(read, context.newId()), context.signal);
    const { added } = await bringIn(context, renamed);
    return answer(context, renamed.record.session.id, added, false);
  },
});

/** Accepts the export itself, or the whole answer that contains it. */
function takeObjects(args: Args): Args {
  const { content, pages } = args;
  return {
    ...args,
    ...(isObject(content) && { content: toJsonText(exportIn(content)) }),
    ...(Array.isArray(pages) && { pages: pages.map((page) => (isObject(page) ? page["content"] : page)) }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const exportIn = (answer: Record<string, unknown>): Record<string, unknown> =>
  isObject(answer["export"]) ? answer["export"] : answer;

/** An import keeps sealed text unchanged, even with `redact`, because masked text would no longer match its hash. */
async function warnOfSecrets(context: OperationContext, { entries }: ImportedSession): Promise<void> {
  const leaking = await runInTurns(findLeaks(context.settings.secrets, entries), context.signal);
  const [first] = leaking;
  if (!first) return;
  context.warn({
    code: "SECRET_DETECTED",
    message: `${count(leaking.length, "imported thought")} may contain a secret. The first is ${describeAddress(first.data)}. An import does not mask recorded text.`,
  });
}

function* findLeaks(
  secrets: SecretsPolicy,
  entries: ImportedSession["entries"],
): Steps<ImportedSession["entries"]> {
  const leaking: ImportedSession["entries"] = [];
  for (const entry of entries) {
    if (secrets.forInput(entry.data.thought).places.length > 0) leaking.push(entry);
    yield;
  }
  return leaking;
}

type Outcome = Omit<PartOutcome, "sessionId" | "leftOut">;

/**
 * A long session is imported in several transactions. If the import is interrupted, repeating it continues
 * where it stopped. If the server is locked to a project, does not read or change sessions in other projects,
 * even if the export specifies one.
 */
async function bringIn(context: OperationContext, session: ImportedSession): Promise<Outcome> {
  const { imports, settings, signal, progress } = context;
  const sum: Outcome = { added: 0, critiques: 0, created: false };
  for (const part of await runInTurns(toSessionParts(session), signal)) {
    signal.throwIfAborted();
    const [outcome] = await imports.importParts([part], onlyProject(settings));
    if (!outcome) throw new Error("an import without an outcome");
    sum.added += outcome.added;
    sum.critiques += outcome.critiques;
    sum.created ||= outcome.created;
    if (outcome.refused !== undefined) return { ...sum, refused: outcome.refused };
    progress(sum.added, session.entries.length, "importing thoughts");
  }
  const { id } = session.record.session;
  await storeActions(context, id, session.actions);
  await storeRemarks(context, id, session.remarks);
  return sum;
}

/** Imports remarks only for a person, because an agent could forge them in an export. */
async function storeRemarks(
  { remarks, caller, warn }: OperationContext,
  sessionId: string,
  given: ImportedSession["remarks"],
): Promise<void> {
  if (given.length === 0) return;
  if (caller.client === undefined) return void (await remarks.record(sessionId, given));
  warn({
    code: "REMARKS_LEFT_OUT",
    message: `Skipped ${count(given.length, "remark")}. Only a person can import remarks, with thoughtbox import.`,
  });
}

async function answer({ ledger }: OperationContext, sessionId: string, imported: number, known: boolean) {
  const record = await ledger.readSession(sessionId);
  if (!record) throw new Error("the imported session is missing");
  return {
    sessionId,
    session: record.session,
    imported,
    ...(known && { alreadyThere: true as const }),
  };
}

const isKnown = ({
  created,
  added,
  critiques,
}: Pick<PartOutcome, "created" | "added" | "critiques">): boolean =>
  !created && added === 0 && critiques === 0;
