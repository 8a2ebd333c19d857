import * as z from "zod";
import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import { partitionPath } from "../../../domain/ledger/chain/partition.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import type { ChainedThought } from "../../../domain/ledger/thought.ts";
import { chooseProject } from "../../../domain/transcripts/project-hints.ts";
import {
  describeSession,
  sessionIdOf,
  transcriptId,
} from "../../../domain/transcripts/session/describe-session.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { quote } from "../../../kernel/text.ts";
import type { OpenTranscript, TranscriptRoot } from "../../../ports/transcript-files.ts";
import { type MemoryContext, ownProject } from "../../pipeline/context.ts";
import { tags, title } from "../../pipeline/fields.ts";
import { readSession } from "../../pipeline/find-session.ts";
import { defineMemory } from "../define-memory.ts";
import { formatSchema, projectSchema, refPath, rootDir, tallySchema } from "./fields.ts";
import { openByName, openRoot, refuseForeign } from "./open-root.ts";
import { beginTranscript, type OpenTranscriptPlan, readOn } from "./read-transcript.ts";
import { createScan, readHead, type Scan } from "./scan.ts";
import {
  type ChainEnd,
  forksOf,
  guardPlan,
  missingOf,
  readStored,
  storeActions,
  storePlan,
} from "./store-plan.ts";

const maxBytes = 4 * 1024 * 1024 * 1024;
const longestMs = 3_600_000;

export const transcriptsImport = defineMemory({
  name: "transcripts_import",
  title: "Import a transcript",
  summary:
    "Turns the transcript of a coding agent, such as Codex or Claude Code, into a session in the ledger. A second import adds only what is new.",
  effect: "write",
  input: {
    ref: z.strictObject({ path: refPath }).describe("Path of the transcript."),
    root_dir: rootDir.optional(),
    sessionTitle: title.optional(),
    tags: tags.optional(),
    include: z
      .enum(["thinking", "all"])
      .default("all")
      .describe("thinking: thoughts, errors and corrections. all: messages too. Default: all."),
    dry_run: z.boolean().default(false).describe("Only report what would be imported. Default: false."),
  },
  output: {
    root_dir: z.string(),
    ref: z.strictObject({ path: z.string() }),
    transcript: z.strictObject({ id: z.string(), format: formatSchema, bytes: z.int() }),
    project: projectSchema,
    sessionId: z.string(),
    session: z.strictObject({ title: z.string(), project: z.string() }),
    outcome: z.enum(["imported", "continued", "unchanged", "empty"]),
    dry_run: z.boolean(),
    added: z.int(),
    thoughts: z.int(),
    branches: z.int(),
    observations: z.int(),
    corrections: z.int(),
    actions: z.int(),
    /** What the agent was doing when the transcript was read. */
    running: z.strictObject({ command: z.string(), at: z.string() }).optional(),
    sub_agents: z.int(),
    skipped: tallySchema,
    complete: z.boolean(),
  },
  trim: { optional: ["skipped"] },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "from Codex",
      given: "transcripts",
      input: { ref: { path: "2026/03/02/rollout-2026-03-02-shop.jsonl" } },
    },
  ],

  handle: (asked, memory) => importFile(memory, asked),
});

export async function importFile(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "CONFLICT">,
  { ref, root_dir, ...asked }: Asked & { ref: { path: string }; root_dir?: string | undefined },
) {
  const root = await openRoot(memory, root_dir);
  const file = await openByName(memory, root, ref.path);
  try {
    return {
      root_dir: root.directory,
      ref: { path: file.path },
      ...(await bringIn(memory, root, file, asked)),
    };
  } finally {
    await file.close();
  }
}

type Asked = {
  sessionTitle?: string | undefined;
  tags?: readonly string[] | undefined;
  include: "thinking" | "all";
  dry_run: boolean;
  /** Set if the client reported the end of the session. */
  ended?: boolean | undefined;
  /** Set for automatic capture. The user's exclusions then apply. */
  captured?: boolean | undefined;
};

type Importing = MemoryContext<"INVALID_PAYLOAD" | "CONFLICT">;

async function bringIn(memory: Importing, root: TranscriptRoot, file: OpenTranscript, asked: Asked) {
  const key = `${root.directory}\n${file.path}\n${asked.include}`;
  return memory.plans.inTurn(key, async () => {
    const known = asked.dry_run ? undefined : memory.plans.find(key);
    memory.plans.forget(key);
    const scan = createScan(memory, {
      maxFiles: 1_000,
      maxBytes,
      maxMs: longestMs,
      onRead: (bytes) => memory.progress(Math.min(bytes, file.bytes), file.bytes, `Reading ${file.path}`),
    });
    const take = async (opened: Opened) => {
      const answer = await store(memory, root, scan, file, asked, opened);
      const isRecent = memory.clock().getTime() - file.modifiedMs < keptMs;
      if (!asked.dry_run && isRecent) memory.plans.keep(key, opened.open);
      return answer;
    };
    const opened = known && (await continueReading(memory, scan, file, known));
    if (opened) {
      const answer = await take(opened).catch(unlessConflict);
      if (answer) return answer;
    }
    return take(await beginReading(memory, root, scan, file, asked));
  });
}

/** Ignores a conflict: another process stored more thoughts, and a read from the beginning finds them. */
function unlessConflict(thrown: unknown): undefined {
  if (thrown instanceof ThoughtboxError && thrown.code === "CONFLICT") return undefined;
  throw thrown;
}

/** A transcript that grows again after more than this time is read from the beginning. */
const keptMs = 3_600_000;

type Opened = {
  open: OpenTranscriptPlan;
  sessionId: string;
  /**
   * All thoughts of the session in the ledger. `undefined` if the ledger has every thought that was read
   * before, and possibly more on other branches.
   */
  stored: ChainedThought[] | undefined;
  last: ChainEnd | undefined;
};

/** Continues an earlier read if the beginning of the file is unchanged and the session still exists. */
async function continueReading(
  memory: Importing,
  scan: Scan,
  file: OpenTranscript,
  open: OpenTranscriptPlan,
): Promise<Opened | undefined> {
  const { session, include, fingerprint, main } = open;
  if (file.bytes < main.offset || (await readFingerprint(scan, file)) !== fingerprint) return undefined;
  await refuseForeign(memory, file.path, session.head);
  const sessionId = sessionIdOf(session.format, session.id, include);
  const head = await memory.ledger.readHead(sessionId);
  if (!head) return undefined;
  return { open, sessionId, stored: undefined, last: { position: head.length, hash: head.hash } };
}

async function beginReading(
  memory: Importing,
  root: TranscriptRoot,
  scan: Scan,
  file: OpenTranscript,
  { include }: Asked,
): Promise<Opened> {
  const head = await readHead(scan, file, { thorough: true });
  const { format } = head;
  await refuseForeign(memory, file.path, head);
  if (format === undefined) return refuseFormat(memory, root, file);
  const id = transcriptId(file.path, head.session.id);
  const sessionId = sessionIdOf(format, id, include);
  const stored = await readStored(memory, sessionId);
  const fingerprint = fingerprintOf(head.bytes);
  const open = beginTranscript({ head, id, format }, fingerprint, include, forksOf(stored));
  return { open, sessionId, stored, last: stored.at(-1) };
}

async function store(
  memory: Importing,
  root: TranscriptRoot,
  scan: Scan,
  file: OpenTranscript,
  { sessionTitle, tags: added = [], dry_run, ended = false, captured }: Asked,
  { open, sessionId, stored, last }: Opened,
) {
  const { settings } = memory;
  const { head, id, format } = open.session;
  if (captured && !settings.mayCapture(head.session.cwd ?? "/"))
    return refuse(memory, sessionId, "its directory is excluded from capture");
  const known = await readSession(memory.ledger, settings, sessionId);
  const plan = await guardPlan(memory, await readOn(scan, root, file, open), head.session.cwd);
  const project = chooseProject(head.hints);
  const lastWritten = new Date(file.modifiedMs);
  const started = plan.thoughts.find(({ at }) => at !== undefined)?.at;
  const record = describeSession(
    plan,
    {
      id: sessionId,
      title: sessionTitle,
      tags: added,
      project: known?.session.project ?? chooseHome(memory, head.session.cwd),
      partitionPath: partitionPath(started ? new Date(started) : lastWritten, settings.partitionGranularity),
    },
    { format, transcriptId: id, projectName: project.name, title: head.session.title },
    {
      fallback: known?.session.updatedAt ?? lastWritten.toISOString(),
      now: memory.clock(),
      ended,
    },
  );

  if (last && !known) return refuse(memory, sessionId, "it belongs to another project");
  const missing = stored ? await missingOf(memory, stored, plan.thoughts) : plan.thoughts;
  if (typeof missing === "string") return refuse(memory, sessionId, missing);
  if (missing.length > 0 && !dry_run) {
    const refused = await storePlan(memory, record, missing, last);
    if (refused !== undefined) return refuse(memory, sessionId, refused, { inTrash: last === undefined });
  }
  if (!dry_run)
    await storeActions(memory, sessionId, [...forkOf(open, record.session.createdAt), ...plan.actions]);
  if (!dry_run && known) await addModels(memory, known.session, plan.models);
  const isOver = record.session.status === "completed" && known?.session.status === "active";
  if (!dry_run && missing.length === 0 && isOver)
    await memory.imports.importParts([{ record, entries: [], critiques: [] }]);
  return {
    transcript: { id, format, bytes: file.bytes },
    project,
    sessionId,
    session: { title: known?.session.title ?? record.session.title, project: record.session.project },
    outcome: judge(plan.totals.thoughts, missing.length),
    dry_run,
    added: missing.length,
    thoughts: plan.totals.thoughts,
    branches: plan.branches,
    observations: plan.observations,
    corrections: plan.corrections,
    actions: plan.totals.actions,
    ...(plan.running && { running: { command: plan.running.command, at: plan.running.at } }),
    sub_agents: plan.agents,
    skipped: plan.skipped,
    complete: !plan.full && !scan.account().truncated,
  };
}

/** Adds the models to a session, because it is often recorded before any model has answered. */
async function addModels(
  { ledger, clock }: Importing,
  { id, tags }: Pick<Session, "id" | "tags">,
  models: readonly string[],
): Promise<void> {
  const wanted = [...new Set([...tags, ...models.map((model) => `model:${model}`)])].slice(0, limits.tags);
  if (wanted.length > tags.length) await ledger.updateSession(id, { tags: wanted }, clock().toISOString());
}

/** Records which session this one continues. Storing the record twice changes nothing. */
function forkOf({ session, include }: OpenTranscriptPlan, at: string): KeptAction[] {
  const { head, id, format } = session;
  const { forkedFrom } = head.session;
  if (forkedFrom === undefined || forkedFrom === id) return [];
  const origin = sessionIdOf(format, forkedFrom, include);
  return [{ type: "fork", call: forkedFrom, part: 0, tool: format, at, origin }];
}

function chooseHome({ settings, caller, transcripts }: Importing, cwd: string | undefined): string {
  const own = ownProject(caller, settings);
  return settings.projectLock || cwd === undefined ? own : (transcripts.findProject(cwd) ?? own);
}

const fingerprintBytes = 512;

/** Returns a hash of a transcript's beginning, whose IDs and times differ between files of the same name. */
const fingerprintOf = (beginning: Buffer): string =>
  sha256Hex(beginning.subarray(0, fingerprintBytes).toString("latin1"));

const readFingerprint = async (scan: Scan, file: OpenTranscript): Promise<string> =>
  fingerprintOf(await scan.read(file, 0, fingerprintBytes));

function judge(planned: number, missing: number) {
  if (planned === 0) return "empty" as const;
  if (missing === 0) return "unchanged" as const;
  return missing < planned ? ("continued" as const) : ("imported" as const);
}

function refuseFormat(
  { fail }: MemoryContext<"INVALID_PAYLOAD">,
  root: TranscriptRoot,
  { path }: OpenTranscript,
): never {
  return fail("INVALID_PAYLOAD", `${quote(path)} contains no line from an agent that Thoughtbox supports.`, {
    details: { path },
    recovery: {
      hint: "List the existing transcripts.",
      operation: "transcripts_digest",
      args: { root_dir: root.directory, cwd_prefix: "/", mode: "last" },
    },
  });
}

/** Refuses an import. A session that the ledger does not return is in the trash. */
function refuse(
  { fail }: MemoryContext<"CONFLICT">,
  sessionId: string,
  reason: string,
  { inTrash = false } = {},
): never {
  return fail("CONFLICT", `The transcript was not imported into session ${sessionId}: ${reason}.`, {
    details: { sessionId, reason },
    recovery: inTrash
      ? {
          hint: "Restore the session with session.restore, then import again. This call lists the deleted sessions.",
          operation: "session.list",
          args: { status: "deleted" },
        }
      : {
          hint: "Delete the session to import the transcript again. This call lists the sessions.",
          operation: "session.list",
          args: {},
        },
  });
}
