import type { Tool } from "@modelcontextprotocol/server";
import { gatewayName } from "../operations/pipeline/normalise.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import { stageNumber } from "../operations/pipeline/stage-gate.ts";
import { type WireField, wireSchema } from "./wire-schema.ts";

/** The one tool that reaches everything; its flat schema has no unions, because some model APIs refuse them. */
export function gatewayTool(catalogue: readonly Operation[]): Tool {
  const ledger = catalogue.filter(({ family }) => family === "ledger");
  return {
    name: gatewayName,
    title: "Thoughtbox",
    description: describeGateway(ledger),
    inputSchema: {
      type: "object",
      properties: {
        operation: {
          type: "string",
          enum: [...new Set(catalogue.map(({ name }) => name.split(".")[0] ?? name))],
        },
        subOperation: { type: "string", description: "For session, notebook, mental_models, knowledge." },
        args: {
          type: "object",
          description: "The operation's fields, if not given flat; memory operations take them here.",
        },
        ...flatFields(ledger),
      },
      required: ["operation"],
    },
    annotations: {
      title: "Thoughtbox",
      readOnlyHint: false,
      destructiveHint: ledger.some(({ effect }) => effect === "destroy"),
      idempotentHint: false,
      openWorldHint: false,
    },
  };
}

/** One line an operation, or a group of them: clients cut descriptions at 2,048 characters. */
function describeGateway(ledger: readonly Operation[]): string {
  const single = ledger.filter(({ name }) => !name.includes("."));
  const groups = new Map<string, Operation[]>();
  for (const operation of ledger.filter(({ name }) => name.includes("."))) {
    const group = operation.name.slice(0, operation.name.indexOf("."));
    groups.set(group, [...(groups.get(group) ?? []), operation]);
  }
  return [
    "Reasoning ledger. Operations (stage they open at):",
    ...single.map((operation) => `- ${operation.name} (${stageNumber(operation)}): ${operation.title}`),
    ...[...groups].map(
      ([group, members]) => `- ${group} (${stageOf(members)}): ${members.map(verbOf).join(", ")}`,
    ),
    "Begin: start_new → cipher → thought. Pass the sessionId from start_new in every call. Errors carry recovery, the next call to make. help {topic} explains any operation.",
  ].join("\n");
}

const verbOf = ({ name }: Operation): string => name.slice(name.indexOf(".") + 1);

const stageOf = (members: readonly Operation[]): number => Math.max(...members.map(stageNumber));

/**
 * Fields that several operations share appear once; where they differ, only what they agree on is said. Fields of
 * rarely used operations are named without a description: `help` has it.
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

function brief({ default: _preset, description, ...field }: WireField, { toolset }: Operation): WireField {
  if (toolset !== "full" && description !== undefined) return { ...field, description };
  const {
    type,
    enum: choices,
    items,
  } = field as { type?: string; enum?: string[]; items?: { type?: string } };
  return {
    ...(type !== undefined && { type }),
    ...(choices && { enum: choices }),
    ...(items?.type !== undefined && { items: { type: items.type } }),
  };
}

function common(one: WireField, other: WireField): WireField {
  const { description } = one;
  const shared = Object.entries(one).filter(
    ([key, value]) => JSON.stringify(other[key]) === JSON.stringify(value),
  );
  return { ...Object.fromEntries(shared), ...(description !== undefined && { description }) };
}
