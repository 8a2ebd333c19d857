import * as z from "zod";
import { maxCount } from "../../../kernel/numbers.ts";
import { quote } from "../../../kernel/text.ts";
import { type BaseContext, ownProject } from "../../pipeline/context.ts";
import { optionalLimit } from "../../pipeline/fields.ts";
import { findLatestSession, latestWord } from "../../pipeline/find-session.ts";
import { type Continuation, type Json, type TrimPlan, trim } from "../../pipeline/fit/trim.ts";
import { trimAnchor } from "../anchors/read-anchor.ts";
import { defineMemory } from "../define-memory.ts";
import { stubConflict, stubNode } from "../graph/graph-schemas.ts";
import { stubJob, stubJobEvent } from "../jobs/job-fields.ts";
import { keepCapsule } from "../packs/trim-packs.ts";
import { stubEvent, stubStep } from "../tasks/fields.ts";
import { stubEntry } from "./entry-schema.ts";
import { openEntry, openNode } from "./openers/open-entry.ts";
import { openItem, openJob, openJobEvent, openRunner, openStep, openTaskEvent } from "./openers/open-item.ts";
import { openAnchor, openConflict, openName, openSession, openThought } from "./openers/open-name.ts";
import { idForms, type Opener, type OpenId, openedShape, readOpenId } from "./openers/opened-schema.ts";

const defaultItems = 10;

const entry: TrimPlan = {
  // Runs after secrets are masked, so that no offset can split a secret and reveal the rest of it.
  own: (opened, limits) =>
    trim(fromOffset(opened), { item: { key: "entry", stub: stubEntry }, adjust: withNextOffset }, limits),
};
const item: TrimPlan = {
  optional: ["degradation", "step_focus", "reasoning_ref", "target"],
  item: { key: "capsule", stub: (capsule) => keepCapsule.forms(capsule).at(-1) ?? capsule },
};
const beside = { optional: ["incoming", "edges", "also_in"] } as const;
const stubEdge = ({ from, rel, to, last_seq }: Json): Json => ({ from, rel, to, last_seq });
const itself = (item: Json): Json => item;

/** The main part of each kind is shortened last. */
const plans: Readonly<Record<string, TrimPlan>> = {
  session: { optional: ["session"], list: { key: "entries", oldest: "first", stub: stubEntry } },
  card: { ...beside, item: { key: "card", stub: stubNode } },
  node: { ...beside, item: { key: "node", stub: stubNode } },
  task: item,
  plan: item,
  step: { optional: ["target"], item: { key: "step", stub: stubStep } },
  task_event: { optional: ["entry"], item: { key: "event", stub: stubEvent } },
  job_event: { optional: ["context", "job"], item: { key: "event", stub: stubJobEvent } },
  runner: { optional: ["meta"], item: { key: "lease", stub: itself } },
  conflict: { item: { key: "conflict", stub: stubConflict } },
  tag: { optional: ["entry"], item: { key: "tag", stub: ({ name, seq, ref }) => ({ name, seq, ref }) } },
  branch: {
    list: { key: "docs", oldest: "last", stub: ({ doc, form, last_seq }) => ({ doc, form, last_seq }) },
  },
};

function trimOpened(opened: Json): TrimPlan {
  const kind = String(opened["kind"]);
  if (kind === "anchor") return { ...trimAnchor(opened), goesOn: readAnchorOn };
  if (kind === "job") return trimJob(opened);
  if (kind === "graph_version")
    return "node" in opened
      ? { item: { key: "node", stub: stubNode } }
      : { item: { key: "edge", stub: stubEdge } };
  return plans[kind] ?? entry;
}

const contentOf = ({ entry }: Json): unknown => (entry as Json | undefined)?.["content"];

function fromOffset(opened: Json): Json {
  const { entry, offset } = opened;
  const content = contentOf(opened);
  if (typeof content !== "string" || typeof offset !== "number") return opened;
  const rest = { ...(entry as Json), content: content.slice(offset) };
  return { ...opened, entry: rest, content_chars: content.length };
}

function withNextOffset(result: Json, whole: Json): Json {
  const [content, shown] = [contentOf(whole), String(contentOf(result) ?? "")];
  if (typeof content !== "string" || shown === content) return result;
  const offset = Number(result["offset"] ?? 0);
  const kept = shown.length - (shown.endsWith("…") ? 1 : 0);
  return { ...result, content_chars: offset + content.length, next_offset: offset + kept };
}

function readAnchorOn({ workspace, include_drafts }: Json, { id, cards }: Json): readonly Continuation[] {
  const last = Array.isArray(cards) ? (cards.at(-1) as Json | undefined) : undefined;
  const args = { workspace, anchor: id, include_drafts, cursor: last?.["last_seq"] };
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return [{ operation: "anchor_snapshot", args: Object.fromEntries(given) }];
}

function trimJob({ events }: Json): TrimPlan {
  if (!Array.isArray(events) || events.length === 0)
    return { optional: ["prompt"], item: { key: "job", stub: stubJob } };
  return {
    optional: ["prompt"],
    list: { key: "events", oldest: "first", stub: stubJobEvent },
    adjust: (result) => ({ ...result, has_more_events: true }),
  };
}

export const open = defineMemory({
  name: "open",
  title: "Open",
  summary: "Opens a session, thought, note, card, plan or task by an ID from an answer.",
  toolset: "daily",
  effect: "read",
  anywhere: true,
  input: {
    id: z.string().min(1).max(300).describe("ID from an answer, or latest for the project's latest session."),
    offset: z
      .int()
      .min(0)
      .max(maxCount)
      .optional()
      .describe("Where to continue a long entry: next_offset from the previous answer."),
    limit: optionalLimit("10 entries of a session, events of a job or cards of an anchor"),
    include_drafts: z
      .boolean()
      .default(false)
      .describe("Include an anchor's or task's drafts, or a job's prompt. Default: false."),
  },
  advanced: ["limit", "include_drafts", "offset"],
  output: openedShape,
  trim: trimOpened,
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "a node", given: "a workspace with a graph", input: { id: "h1" } },
    { title: "an entry", given: "a workspace with a branch", input: { id: "notes@2" } },
    { title: "an anchor", given: "a workspace with anchors", input: { id: "a:storage" } },
    { title: "a task", given: "a task in focus", input: { id: "TASK-001" } },
  ],

  async handle({ id, limit: asked, include_drafts, offset }, memory) {
    const limit = asked ?? defaultItems;
    const named = readOpenId(id === latestWord ? await latestId(memory) : id);
    const asOther = { limit, drafts: include_drafts };
    // A card may have any ID, so cards are tried last.
    const opened =
      (await openers[named.kind](memory, named as never, asOther)) ??
      (named.kind === "name" ? undefined : await openNode(memory, id));
    if (opened) return { ...opened, ...(opened.entry && offset !== undefined && { offset }) };
    return memory.fail("UNKNOWN_ID", `Nothing has the ID ${quote(id, 100)}.`, {
      details: { id, forms: idForms },
      recovery: {
        hint: "Copy the ID from an answer, or list the branches.",
        operation: "branch_list",
        args: { workspace: memory.workspace },
      },
    });
  },
});

/** Returns the ID of the project's latest session, or the word `latest` if the project has no session. */
async function latestId({ ledger, settings, caller }: BaseContext): Promise<string> {
  const project = ownProject(caller, settings);
  return (await findLatestSession({ ledger }, caller, project))?.id ?? latestWord;
}

const openers: { [Kind in OpenId["kind"]]: Opener<Kind> } = {
  entry: openEntry,
  thought: openThought,
  session: openSession,
  anchor: openAnchor,
  item: openItem,
  step: openStep,
  task_event: openTaskEvent,
  job: openJob,
  job_event: openJobEvent,
  runner: openRunner,
  conflict: openConflict,
  name: openName,
};
