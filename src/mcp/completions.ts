import type { CompleteRequestParams, CompleteResult } from "@modelcontextprotocol/server";
import { type AskLedger, type Completion, templates } from "./resource-templates.ts";

const maxValues = 100;

/** Prompt arguments that can be completed, by prompt and argument. */
const promptArguments: Record<string, Record<string, Completion>> = {
  "evolution-check": { sessionId: "sessionId" },
};

const lists: Record<
  Completion,
  { operation: string; args: Record<string, unknown>; list: string; value: string }
> = {
  sessionId: { operation: "list_sessions", args: { limit: 100 }, list: "sessions", value: "id" },
  model: { operation: "mental_models.list_models", args: {}, list: "models", value: "name" },
  tag: { operation: "mental_models.list_tags", args: {}, list: "tags", value: "name" },
  pattern: { operation: "knowledge.list_patterns", args: { limit: 100 }, list: "patterns", value: "id" },
  topic: { operation: "knowledge.list_scratchpad", args: { limit: 100 }, list: "notes", value: "id" },
  notebook: { operation: "notebook.list", args: { limit: 100 }, list: "notebooks", value: "id" },
};

/** Values that begin with what was typed; session ids also by a word of their title. */
export async function complete(
  ask: AskLedger,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  const kind = completionOf(ref, argument.name);
  if (kind === undefined) return { completion: { values: [], hasMore: false } };
  const { operation, args, list, value } = lists[kind];
  const items = ((await ask(operation, args))?.[list] ?? []) as Record<string, unknown>[];
  const typed = argument.value.toLowerCase();
  const fits = (item: Record<string, unknown>) =>
    String(item[value]).startsWith(typed) ||
    (kind === "sessionId" && String(item["title"]).toLowerCase().includes(typed));
  const values = items.filter(fits).map((item) => String(item[value]));
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
