import type { JSONObject, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { stageNumber } from "../operations/pipeline/caller-state.ts";
import { gatewayName } from "../operations/pipeline/normalise.ts";
import type { Operation, WireForm } from "../operations/pipeline/operation.ts";

/** Builds the tool that reaches every operation. Its schema has no unions, because some models refuse them. */
export function gatewayTool(catalogue: readonly Operation[]): Tool {
  const ledger = catalogue.filter(({ family }) => family === "ledger");
  return {
    name: gatewayName,
    title: "Thoughtbox",
    description: describeGateway(ledger),
    inputSchema: {
      type: "object",
      properties: {
        // No enum: clients would check it and refuse names that the server accepts, such as session.export.
        operation: {
          type: "string",
          description: "Operation, such as cipher, session.export or graph_query.",
        },
        subOperation: { type: "string", description: "The part after the dot, if passed separately." },
        args: {
          type: "object",
          description: "Fields not passed at the top level. Memory fields belong here.",
        },
        ...flatFields(ledger),
      },
      required: ["operation"],
    },
    annotations: {
      title: "Thoughtbox",
      readOnlyHint: false,
      // Everything that is deleted can be restored, and clients that cannot ask their user refuse destructive tools
      // outright.
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  };
}

/** What each operation is for, if its name does not show it. Clients truncate descriptions at 2,048 characters. */
const clauses: Readonly<Record<string, string>> = {
  get_state: "your session, project, stage and available operations",
  start_new: "open a session with title, tags and project; returns sessionId",
  load_context:
    "resume by sessionId or latest:true: last thoughts, conclusions, dead ends and open questions",
  list_sessions: "the project's sessions by tags, status or words",
  navigate: "move to a project, task, aspect or domain",
  list_roots: "directories the client offers",
  bind_root: "use one of them as the project",
  cipher: "the short notation for steps; unlocks thought",
  thought: "record a step; branchFromThought forks, revisesThought corrects",
  read_thoughts: "read back by last, range, thoughtNumber, branchId or type",
  read_actions: "what a captured agent did: edits, commands and refusals",
  get_structure: "chain, branches and revisions without contents",
  branch_close: "close a branch and keep its lesson",
  deep_analysis: "a session's patterns, load and decision points",
  help: "explain an operation or a subject",
};

const memory =
  '- memory, fields in args: notes_commit writes notes, recall {question} returns what is known, show and open read notes, branch_create forks, graph_apply links facts, merge joins branches; help {topic:"memory"}';

/** Describes each operation or group on one line. */
function describeGateway(ledger: readonly Operation[]): string {
  const single = ledger.filter(({ name }) => !name.includes("."));
  const groups = new Map<string, Operation[]>();
  for (const operation of ledger.filter(({ name }) => name.includes("."))) {
    const group = operation.name.slice(0, operation.name.indexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), operation]);
  }
  return [
    "Reasoning ledger and memory: every operation in one tool (stage that unlocks it):",
    ...single.map(
      (operation) =>
        `- ${operation.name} (${stageNumber(operation)}): ${clauses[operation.name] ?? operation.title}`,
    ),
    ...[...groups].map(
      ([group, members]) => `- ${group} (${stageOf(members)}): ${group}.${members.map(verbOf).join(", .")}`,
    ),
    memory,
    "In this tool, call start_new and cipher before thought. Separate tools need neither. Errors contain the next call.",
  ].join("\n");
}

const verbOf = ({ name }: Operation): string => name.slice(name.indexOf(".") + 1);

const stageOf = (members: readonly Operation[]): number => Math.max(...members.map(stageNumber));

type WireField = JSONObject;
type WireSchema = { type: "object"; properties: Record<string, WireField>; required?: string[] };

/**
 * Returns an operation's schema for `tools/list`, with its everyday fields or all of them. Advanced fields are accepted
 * too, so the schema allows fields that it does not list. Our own validation reports errors with our codes.
 */
export function wireSchema({ input, wire, ...operation }: Operation, whole = false): WireSchema {
  const advanced = whole ? [] : operation.advanced;
  const { properties = {}, required } = z.toJSONSchema(input, { io: "input" }) as Partial<WireSchema>;
  const shown = Object.entries(properties).filter(([name]) => !advanced.includes(name));
  const needed = required?.filter((name) => !advanced.includes(name)) ?? [];
  return {
    type: "object",
    properties: Object.fromEntries(
      shown.map(([name, field]) => [name, wire[name] ? inForm(wire[name], field) : slim(field)]),
    ),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** Replaces a field's form and keeps its description. Strict clients check arguments against the form. */
const inForm = (form: WireForm, { description }: WireField): WireField => ({
  ...form,
  ...(description !== undefined && { description }),
});

/**
 * Removes the size limits of strings and lists, which would only cost tokens. Sizes are checked on arrival, and errors
 * state the limits.
 */
function slim(field: WireField): WireField {
  const { properties, items, additionalProperties, ...rest } = field;
  for (const size of ["maxLength", "minLength", "pattern", "maxItems", "minItems", "propertyNames"])
    delete rest[size];
  return {
    ...rest,
    ...(isSchema(properties) && { properties: mapFields(properties) }),
    ...(isSchema(items) && { items: slim(items) }),
    ...(isSchema(additionalProperties) &&
      "type" in additionalProperties && { additionalProperties: slim(additionalProperties) }),
  };
}

const mapFields = (fields: WireField): WireField =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, isSchema(field) ? slim(field) : field]),
  );

const isSchema = (value: unknown): value is WireField =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Fields that several operations share appear once. If they differ, only the common part is described. Fields
 * of rarely used operations have no description here. `help` describes them.
 */
function flatFields(ledger: readonly Operation[]): Record<string, WireField> {
  const merged: Record<string, WireField> = {};
  const everydayFirst = [...ledger].sort(
    (a, b) => Number(a.toolset === "full") - Number(b.toolset === "full"),
  );
  for (const operation of everydayFirst) {
    for (const [name, field] of Object.entries(wireSchema(operation).properties)) {
      const known = merged[name];
      merged[name] = known === undefined ? brief(field, operation) : common(known, field);
    }
  }
  return merged;
}

function brief(
  { default: _preset, minimum: _least, maximum: _most, description, ...field }: WireField,
  { toolset }: Operation,
): WireField {
  const { type, items } = field as { type?: string; items?: { type?: string } };
  const ofItems = items?.type !== undefined && { items: { type: items.type } };
  const beginning = firstClause(String(description ?? ""));
  if (toolset !== "full" && beginning !== "") return { ...field, ...ofItems, description: beginning };
  return { ...(type !== undefined && { type }), ...ofItems };
}

/** Returns the first clause. Omits the default, because defaults differ between operations. */
const firstClause = (text: string): string => (text.split(/[;:,]/, 1)[0] ?? "").replace(/\.? ?Default$/, "");

/** Returns what both fields share. Lists keep their items' type, because some clients refuse tools without. */
function common(one: WireField, other: WireField): WireField {
  const { description, items } = one;
  const shared = Object.entries(one).filter(
    ([key, value]) => JSON.stringify(other[key]) === JSON.stringify(value),
  );
  const itemType = (items as WireField | undefined)?.["type"];
  return {
    ...Object.fromEntries(shared),
    ...(itemType !== undefined && { items: { type: itemType } }),
    ...(description !== undefined && { description }),
  };
}
