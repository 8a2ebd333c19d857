// biome-ignore lint/suspicious/noExplicitAny: tasks read answers as a model does, without types
export type Answer = any;

/** A simulated model. The agent knows only the tool descriptions and the answers to its own calls. */
export type Agent = { call(name: string, args: Record<string, unknown>): Promise<Answer> };

/** A task for agents. `join` adds an agent with its own client and, over stdio, its own process. */
export type AgentTask = {
  id: string;
  about: string;
  /** The limit for the text of all answers in the task, in bytes. */
  maxBytes: number;
  run(join: () => Promise<Agent>): Promise<void>;
};

export type Received = { calls: number; failed: string[]; bytes: number };

type ToolResult = { content: readonly { text?: string }[]; structuredContent?: unknown; isError?: boolean };

/** Counts what the clients in a task pass to their models: the text of every answer. */
export function countReceived() {
  const received: Received = { calls: 0, failed: [], bytes: 0 };
  return {
    received,
    take(name: string, { content, structuredContent, isError }: ToolResult): Answer {
      received.calls += 1;
      for (const { text = "" } of content) received.bytes += Buffer.byteLength(text);
      if (isError) received.failed.push(`${name}: ${content[0]?.text}`);
      return structuredContent;
    },
  };
}
