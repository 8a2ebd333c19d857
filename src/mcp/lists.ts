import type { Tool } from "@modelcontextprotocol/server";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Content, ToolChoice } from "../ports/content.ts";
import { listPrompts } from "./prompts.ts";
import type { Lists } from "./server.ts";
import { type AdvertisedToolset, toolDefinitions } from "./tools.ts";

type ListsOptions = {
  catalogue: readonly Operation[];
  toolset: AdvertisedToolset;
  /** The tools that the operator hid or showed, decided before the server starts. */
  toolChoice: ToolChoice;
  content: Content;
};

export function createLists({ catalogue, toolset, toolChoice, content }: ListsOptions): Lists {
  /** Created on demand: generating the schemas is slow, and the build may already have done it. */
  let tools: Tool[] | undefined;
  return {
    async tools() {
      tools ??= toolDefinitions(catalogue, toolset, toolChoice);
      return tools;
    },
    prompts: () => listPrompts(content),
  };
}
