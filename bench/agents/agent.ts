// biome-ignore lint/suspicious/noExplicitAny: an answer is read as a model reads it, without its type
export type Answer = any;

/** A model at work: it knows what the tools say of themselves and what its own calls returned. */
export type Agent = { call(name: string, args: Record<string, unknown>): Promise<Answer> };

/**
 * What an agent was given to do; `join` lets one more agent in, as a client and, over stdio, its own process.
 */
export type AgentTask = {
  id: string;
  about: string;
  /** What the answers of the whole task may weigh, in bytes of text. */
  maxBytes: number;
  run(join: () => Promise<Agent>): Promise<void>;
};

export type Received = { calls: number; failed: string[]; bytes: number };

type ToolResult = { content: readonly { text?: string }[]; structuredContent?: unknown; isError?: boolean };

/** Counts what the clients of a task hand their models: the text of every answer. */
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
