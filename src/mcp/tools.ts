import type { Tool } from "@modelcontextprotocol/server";
import { toolName } from "../operations/pipeline/normalise.ts";
import type { Operation, Toolset } from "../operations/pipeline/operation.ts";
import type { ToolChoice } from "../ports/content.ts";
import { gatewayTool, wireSchema } from "./gateway-tool.ts";

export type AdvertisedToolset = "gateway" | Exclude<Toolset, "people">;

const widths: Record<AdvertisedToolset, number> = { gateway: 0, core: 1, daily: 2, full: 3 };

/** @public The build writes a list of tools for each toolset. */
export const advertisedToolsets = Object.keys(widths) as AdvertisedToolset[];

/** Builds `tools/list` from the catalogue. The list never depends on the caller or on earlier calls. */
export function toolDefinitions(
  catalogue: readonly Operation[],
  toolset: AdvertisedToolset,
  { hidden, shown }: ToolChoice = { hidden: [], shown: [] },
): Tool[] {
  const forAgents = catalogue.filter((operation) => operation.toolset !== "people");
  const advertised = forAgents.filter((operation) => {
    const name = toolName(operation.name);
    const width = widths[operation.toolset as AdvertisedToolset];
    return shown.includes(name) || (width <= widths[toolset] && !hidden.includes(name));
  });
  return [gatewayTool(forAgents), ...advertised.map((operation) => toTool(operation, toolset === "full"))];
}

function toTool(operation: Operation, whole: boolean): Tool {
  const { name, title, summary, advice, effect } = operation;
  return {
    name: toolName(name),
    title,
    description: advice === undefined ? summary : `${summary} ${advice}`,
    inputSchema: wireSchema(operation, whole),
    ...(name === "thought" && { _meta: { "anthropic/alwaysLoad": true } }),
    annotations: {
      title,
      readOnlyHint: effect === "read",
      destructiveHint: effect === "destroy",
      idempotentHint: effect === "read",
      openWorldHint: operation.openWorld === true,
    },
  };
}
