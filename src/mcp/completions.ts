import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import type { mentalModelsListModels } from "../operations/ledger/models/mental-models.ts";
import type { getStructure } from "../operations/ledger/thought/get-structure.ts";
import type { readThoughts } from "../operations/ledger/thought/read-thoughts.ts";
import type { ResultOf } from "../operations/pipeline/operation.ts";
import type { AskLedger } from "./ask-ledger.ts";
import { type Completion, templates } from "./resource-templates.ts";

const maxValues = 100;

/** Prompt arguments that can be completed, keyed by prompt and argument. */
const promptArguments: Record<string, Record<string, Completion>> = {
  "evolution-check": { sessionId: "sessionId" },
};

/** Variables that are already filled in. Values are offered only if they complete an existing URI. */
type Filled = Readonly<Record<string, string>>;
/** A value can be found by its beginning, or by the text in `also`. */
type Offer = { value: string; also?: string };

const offers: Record<Completion, (ask: AskLedger, filled: Filled) => Promise<Offer[]>> = {
  async sessionId(ask) {
    const listed = await ask("list_sessions", { limit: 100 });
    const sessions = (listed?.["sessions"] ?? []) as { id: string; title: string }[];
    return sessions.map(({ id, title }) => ({ value: id, also: title.toLowerCase() }));
  },
  async model(ask, { tag }) {
    const models = await listModels(ask, tag);
    return models.map(({ name }) => ({ value: name }));
  },
  async tag(ask, { model }) {
    const listed = await ask("mental_models.list_tags", {});
    const tags = (listed?.["tags"] ?? []) as { name: string }[];
    const carried =
      model === undefined ? undefined : (await listModels(ask)).find(({ name }) => name === model)?.tags;
    return tags
      .map(({ name }) => ({ value: name }))
      .filter(({ value }) => !carried || carried.includes(value));
  },
  pattern: (ask) => namesOf(ask, "knowledge.list_patterns", "patterns"),
  topic: (ask) => namesOf(ask, "knowledge.list_scratchpad", "notes"),
  notebook: (ask) => namesOf(ask, "notebook.list", "notebooks"),
  async branchId(ask, { sessionId }) {
    const structure = sessionId && (await ask<typeof getStructure>("get_structure", { sessionId }));
    return structure ? Object.keys(structure.branches ?? {}).map((value) => ({ value })) : [];
  },
  async thoughtNumber(ask, { sessionId, branchId }) {
    if (!sessionId) return [];
    const args = { sessionId, ...(branchId !== undefined && { branchId }), last: maxValues };
    const read = await ask<typeof readThoughts>("read_thoughts", args);
    return (read?.thoughts ?? []).map(({ thoughtNumber }) => ({ value: String(thoughtNumber) }));
  },
};

async function listModels(
  ask: AskLedger,
  tag?: string,
): Promise<ResultOf<typeof mentalModelsListModels>["models"]> {
  const listed = await ask<typeof mentalModelsListModels>("mental_models.list_models", tag ? { tag } : {});
  return listed?.models ?? [];
}

async function namesOf(ask: AskLedger, operation: string, list: string): Promise<Offer[]> {
  const items = ((await ask(operation, { limit: 100 }))?.[list] ?? []) as { id: string }[];
  return items.map(({ id }) => ({ value: id }));
}

/** Offers values that begin with the typed text. Session IDs are also found by a word in their title. */
export async function complete(
  ask: AskLedger,
  { ref, argument, context }: CompleteRequestParams,
): Promise<CompleteResult> {
  const kind = completionOf(ref, argument.name);
  if (kind === undefined) return { completion: { values: [], hasMore: false } };
  const typed = argument.value.toLowerCase();
  const values = (await offers[kind](ask, context?.arguments ?? {}))
    .filter(({ value, also }) => value.startsWith(typed) || also?.includes(typed))
    .map(({ value }) => value);
  return {
    completion: {
      values: values.slice(0, maxValues),
      total: values.length,
      hasMore: values.length > maxValues,
    },
  };
}

function completionOf(ref: CompleteRequestParams["ref"], argument: string): Completion | undefined {
  const known =
    ref.type === "ref/prompt"
      ? promptArguments[ref.name]
      : templates.find(({ uriTemplate }) => uriTemplate === ref.uri)?.complete;
  return known && Object.hasOwn(known, argument) ? known[argument] : undefined;
}
