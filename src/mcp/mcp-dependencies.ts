import type { Tool } from "@modelcontextprotocol/server";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { Content } from "../ports/content.ts";
import type { FeedSubscriber } from "../ports/events.ts";
import type { ToolChoice } from "../ports/tool-visibility.ts";
import { listPrompts } from "./prompts.ts";
import { createRequestStates } from "./request-state.ts";
import { createResourceUpdates } from "./resource-updates.ts";
import type { Lists, McpDependencies } from "./server.ts";
import { type AdvertisedToolset, toolDefinitions } from "./tools.ts";

type DependencyOptions = {
  perform: Perform;
  content: Content;
  feed: FeedSubscriber;
  /** Where the server is locked to one. */
  onlyProject: string | undefined;
  loadKey(): Promise<string>;
};

export function createMcpDependencies({
  perform,
  content,
  feed,
  onlyProject,
  loadKey,
}: DependencyOptions): McpDependencies {
  return {
    perform,
    content,
    states: createRequestStates(loadKey),
    updates: createResourceUpdates(feed, onlyProject),
  };
}

type ListsOptions = {
  catalogue: readonly Operation[];
  toolset: AdvertisedToolset;
  /** What somebody chose to hide or to show; decided before the server starts. */
  toolChoice: ToolChoice;
  content: Content;
};

export function createLists({ catalogue, toolset, toolChoice, content }: ListsOptions): Lists {
  /** Made when it is asked for: writing out the schemas takes long, and the build may have done it already. */
  let tools: Tool[] | undefined;
  return {
    async tools() {
      tools ??= toolDefinitions(catalogue, toolset, toolChoice);
      return tools;
    },
    prompts: () => listPrompts(content),
  };
}
