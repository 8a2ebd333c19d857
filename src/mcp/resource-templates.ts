import type { ResourceTemplateType } from "@modelcontextprotocol/server";

/** One operation as the reader of a resource; `undefined` when it fails, because then there is nothing to read. */
export type AskLedger = (
  operation: string,
  args: Record<string, unknown>,
) => Promise<Record<string, unknown> | undefined>;

export type Template = ResourceTemplateType & {
  pattern: RegExp;
  read(ask: AskLedger, variables: Record<string, string>): Promise<string | undefined>;
  /** Where the values of each variable come from. */
  complete: Record<string, Completion>;
};

export type Completion = "sessionId" | "model" | "tag" | "pattern" | "topic";

const session = "thoughtbox://sessions/(?<sessionId>[0-9a-f-]{36})";
const number = "(?<thoughtNumber>[1-9][0-9]{0,6})";
/** Notes belong to a project, and a modern client has none but that of the session it names. */
const ofSession = "(?:\\?sessionId=(?<sessionId>[0-9a-f-]{36}))?";

const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

async function readThought(ask: AskLedger, variables: Record<string, string>): Promise<string | undefined> {
  const read = await ask("read_thoughts", variables);
  return json((read?.["thoughts"] as unknown[] | undefined)?.[0]);
}

export const templates: readonly Template[] = [
  {
    uriTemplate: "thoughtbox://mental-models/{tag}/{model}",
    name: "mental-model",
    title: "Mental model",
    description: "One way of thinking in full.",
    mimeType: "text/markdown",
    pattern: /^thoughtbox:\/\/mental-models\/(?<tag>[a-z-]+)\/(?<model>[a-z-]+)$/,
    complete: { tag: "tag", model: "model" },
    async read(ask, { tag, model }) {
      const found = await ask("mental_models.get_model", { modelId: model });
      const tags = found?.["tags"] as string[] | undefined;
      return tags?.includes(tag ?? "") ? String(found?.["content"]) : undefined;
    },
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}",
    name: "session",
    title: "Session",
    description: "A session as a document: main line, branches, corrections, graph.",
    mimeType: "text/markdown",
    pattern: new RegExp(`^${session}$`),
    complete: { sessionId: "sessionId" },
    async read(ask, variables) {
      const exported = await ask("session.export", {
        ...variables,
        format: "markdown",
        resolveAnchors: false,
      });
      if (!exported) return undefined;
      return String(
        exported["content"] ?? `Too large to show here; it was written to ${exported["path"]}.\n`,
      );
    },
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}/structure",
    name: "session-structure",
    title: "Structure of a session",
    description: "Main chain, branches and revisions without contents.",
    mimeType: "application/json",
    pattern: new RegExp(`^${session}/structure$`),
    complete: { sessionId: "sessionId" },
    read: async (ask, variables) => json(await ask("get_structure", variables)),
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}/thoughts/{thoughtNumber}",
    name: "thought",
    title: "Thought",
    description: "One thought of the main chain.",
    mimeType: "application/json",
    pattern: new RegExp(`^${session}/thoughts/${number}$`),
    complete: { sessionId: "sessionId" },
    read: readThought,
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}/branches/{branchId}/thoughts/{thoughtNumber}",
    name: "branch-thought",
    title: "Thought of a branch",
    description: "One thought of a branch.",
    mimeType: "application/json",
    pattern: new RegExp(`^${session}/branches/(?<branchId>[a-z0-9-]{1,64})/thoughts/${number}$`),
    complete: { sessionId: "sessionId" },
    read: readThought,
  },
  {
    uriTemplate: "thoughtbox://knowledge/patterns/{id}",
    name: "knowledge-pattern",
    title: "Pattern",
    description: "One pattern of the knowledge zone.",
    mimeType: "text/markdown",
    pattern: new RegExp(`^thoughtbox://knowledge/patterns/(?<id>[a-z0-9-]{1,64})${ofSession}$`),
    complete: { id: "pattern" },
    async read(ask, variables) {
      const found = (await ask("knowledge.get_pattern", variables))?.["pattern"] as
        | { content: string }
        | undefined;
      return found?.content;
    },
  },
  {
    uriTemplate: "thoughtbox://knowledge/scratchpad/{topic}",
    name: "scratchpad-note",
    title: "Scratchpad note",
    description: "The shared note of a topic.",
    mimeType: "text/markdown",
    pattern: new RegExp(`^thoughtbox://knowledge/scratchpad/(?<topic>[a-z0-9-]{1,64})${ofSession}$`),
    complete: { topic: "topic" },
    async read(ask, variables) {
      const found = (await ask("knowledge.read_scratchpad", variables))?.["note"] as
        | { content: string }
        | undefined;
      return found?.content;
    },
  },
];
