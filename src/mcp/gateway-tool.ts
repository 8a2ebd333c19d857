import type { Tool } from "@modelcontextprotocol/server";
import { stages } from "../domain/stages/stages.ts";
import type { Operation } from "../operations/define.ts";
import { type WireField, wireSchema } from "./wire-schema.ts";

/** The one tool that reaches everything; its flat schema has no unions, because some model APIs refuse them. */
export function gatewayTool(catalogue: readonly Operation[]): Tool {
  const ledger = catalogue.filter(({ family }) => family === "ledger");
  return {
    name: "thoughtbox_gateway",
    title: "Thoughtbox",
    description: describeGateway(ledger),
    inputSchema: {
      type: "object",
      properties: {
        operation: {
          type: "string",
          enum: [...new Set(ledger.map(({ name }) => name.split(".")[0] ?? name))],
        },
        subOperation: { type: "string", description: `For session: ${subOperations(ledger, "session")}.` },
        args: { type: "object", description: "The operation's fields, if not given flat." },
        ...flatFields(ledger),
      },
      required: ["operation"],
    },
    annotations: {
      title: "Thoughtbox",
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  };
}

function describeGateway(ledger: readonly Operation[]): string {
  const line = ({ name, stage, title }: Operation) =>
    `- ${name.replace(".", " / ")} (${stages[stage]}): ${title}`;
  return [
    "Reasoning ledger. Operations (stage they open at):",
    ...ledger.map(line),
    "Begin: start_new → cipher → thought. Pass the sessionId from start_new in every call. Errors carry recovery, the next call to make. help {topic} explains any operation.",
  ].join("\n");
}

function subOperations(ledger: readonly Operation[], group: string): string {
  const verbs = ledger.flatMap(({ name }) =>
    name.startsWith(`${group}.`) ? [name.slice(group.length + 1)] : [],
  );
  return verbs.join(", ");
}

/** Fields that several operations share appear once; where they differ, only what they agree on is said. */
function flatFields(ledger: readonly Operation[]): Record<string, WireField> {
  const merged: Record<string, WireField> = {};
  for (const operation of ledger) {
    for (const [name, field] of Object.entries(wireSchema(operation).properties)) {
      const known = merged[name];
      merged[name] = known === undefined ? withoutDefault(field) : common(known, field);
    }
  }
  return merged;
}

function withoutDefault({ default: _preset, ...field }: WireField): WireField {
  return field;
}

function common(one: WireField, other: WireField): WireField {
  const { description } = one;
  const shared = Object.entries(one).filter(
    ([key, value]) => JSON.stringify(other[key]) === JSON.stringify(value),
  );
  return { ...Object.fromEntries(shared), ...(description !== undefined && { description }) };
}
