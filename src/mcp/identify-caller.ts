import { randomUUID } from "node:crypto";
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Admitted } from "../http/admission/admission.ts";
import {
  type Binding,
  type Caller,
  type Conversation,
  createBinding,
} from "../operations/pipeline/context.ts";

/** IDs from known clients are shorter. Longer values are ignored. */
const id = z.string().min(1).max(200).optional().catch(undefined);

const fields = z.object({
  "claudecode/toolUseId": id,
  callId: id,
  threadId: id,
  "x-codex-turn-metadata": z.object({ session_id: id, thread_id: id }).optional().catch(undefined),
});

type Named = { conversation: Conversation | undefined; toolUse: string | undefined };

/** Reads the conversation from a request. Codex sends its ID. Claude Code sends only the ID of the call. */
function readMeta(meta: unknown, ofProcess: string | undefined): Named {
  const { callId, threadId, ...read } = fields.safeParse(meta ?? {}).data ?? {};
  const turn = read["x-codex-turn-metadata"];
  const id = turn?.session_id ?? threadId ?? ofProcess;
  // A Codex sub-agent has its own thread within the session of the agent that started it.
  const agent = turn?.thread_id === id ? undefined : turn?.thread_id;
  return {
    conversation: id === undefined ? undefined : { id, agent },
    toolUse: read["claudecode/toolUseId"] ?? callId,
  };
}

/** Returns the client's name, which is sent once with `initialize` or with every modern request. */
function clientName(server: Server, context: ServerContext): string {
  const envelope = context.mcpReq.envelope as Record<string, { name?: unknown } | undefined> | undefined;
  const name = envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
  return typeof name === "string" ? name.slice(0, 200) : "";
}

/**
 * Identifies the caller. `conversations` is set only over stdio, where an environment variable may name the client's
 * conversation. A shell passes its variables on to other clients too, so each variable is used only for its own client.
 */
export function createCallerMemory(
  transport: "stdio" | "http",
  conversations: ReadonlyMap<string, () => string | undefined> = new Map(),
) {
  const ofProcess = (client: string) => [...conversations].find(([name]) => client.startsWith(name))?.[1]();
  const lone = { id: randomUUID() };
  let only: string | undefined;
  let isLone = transport === "stdio";

  return {
    identify(
      server: Server,
      context: ServerContext,
    ): Pick<Caller, "client" | "conversation" | "toolUse" | "lone"> {
      const client = clientName(server, context);
      only ??= client;
      if (client !== only) isLone = false;
      return {
        client,
        ...readMeta(context.mcpReq._meta, ofProcess(client)),
        lone: isLone ? lone : undefined,
      };
    },
  };
}

/** What an admitted caller may do. */
type Rights = Required<Pick<Caller, "mayRunCells" | "hasToken" | "isOwnProcess">> & Pick<Caller, "project">;

type AdmittedInfo = AuthInfo & { extra: { rights: Rights } };

/** Converts an admission to the form that the SDK passes from a request to its handler. */
export const toAuthInfo = (
  { principal, mayRunCells, how }: Admitted,
  project: string | undefined,
): AdmittedInfo => ({
  token: "",
  clientId: principal,
  scopes: [],
  extra: {
    rights: {
      mayRunCells,
      hasToken: how === "token",
      isOwnProcess: how === "loopback" && mayRunCells,
      project,
    },
  },
});

/** Returns the rights that `toAuthInfo` stored. If none are stored, the caller has no rights. */
export const rightsIn = (info: AuthInfo | undefined): Rights =>
  (info as AdmittedInfo | undefined)?.extra?.rights ?? {
    mayRunCells: false,
    hasToken: false,
    isOwnProcess: false,
  };

/** Returns a client's capabilities, which it sends once with `initialize` or with every modern request. */
export function clientCapabilities(
  initial: ClientCapabilities | undefined,
  context: ServerContext,
): ClientCapabilities {
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? initial ?? {};
}

/** The maximum number of conversations per connection. */
const mostConversations = 100;

/** The state of a legacy connection, kept separately for each conversation over it. */
export type Bindings = {
  of(conversation: string | undefined): Binding;
  /** Applies changes that other servers have made. */
  take(stored: ReadonlyMap<string, Fields>): void;
  /** Call before an answer is sent, because the next request may reach another server. */
  save(): Promise<void>;
  /** Makes the next call ask for the client's roots again. */
  expireRoots(): void;
};

type Fields = Readonly<Record<string, unknown>>;

/** How servers that share a connection store its bindings. */
export type SharedBindings = {
  /** Returns the same ID on every server. */
  idOf(conversation: string): string;
  change(conversation: string, fields: Fields): Promise<void>;
  onError(thrown: unknown): void;
};

/** `stored`: the last stored version that this server knows. */
type Known = { binding: Binding; stored: Record<string, unknown> };

/** If `shared` is absent, only this process knows the bindings. */
export function openBindings(shared?: SharedBindings): Bindings {
  const known = new Map<string, Known>();

  function open(conversation: string): Known {
    const id = shared ? shared.idOf(conversation) : randomUUID();
    return { binding: { ...createBinding(), id }, stored: { ...createBinding(), id } };
  }

  function find(conversation: string): Known {
    const found = known.get(conversation) ?? open(conversation);
    // Keeps the most recently used conversations.
    known.delete(conversation);
    known.set(conversation, found);
    const [oldest] = known.keys();
    if (known.size > mostConversations && oldest !== undefined) known.delete(oldest);
    return found;
  }

  return {
    of: (conversation = "") => find(conversation).binding,
    take(changed) {
      for (const [conversation, theirs] of changed) {
        const { binding, stored } = find(conversation);
        for (const field of new Set([...Object.keys(stored), ...Object.keys(theirs)])) {
          const theirValue = theirs[field] ?? initial[field];
          // A call in progress may have changed the field without saving it yet.
          const isOurs = !isSame((binding as Fields)[field], stored[field]);
          if (!isOurs && field !== "id") Object.assign(binding, { [field]: theirValue });
          if (field !== "id") stored[field] = theirValue;
        }
      }
    },
    expireRoots() {
      for (const { binding } of known.values())
        if (binding.roots) binding.roots = { ...binding.roots, isOutdated: true };
    },
    async save() {
      if (!shared) return;
      for (const [conversation, { binding, stored }] of known) {
        const fields = changedFields(binding, stored);
        if (Object.keys(fields).length === 0) continue;
        try {
          await shared.change(conversation, fields);
          Object.assign(stored, fields);
        } catch (thrown) {
          // The call itself succeeded. The next call tries again.
          shared.onError(thrown);
        }
      }
    },
  };
}

const initial: Fields = createBinding();

function changedFields(binding: Fields, stored: Fields): Fields {
  const names = [...new Set([...Object.keys(stored), ...Object.keys(binding)])];
  const changed = names.filter((name) => !isSame(binding[name], stored[name]));
  return Object.fromEntries(changed.map((name) => [name, binding[name] ?? null]));
}

/** Compares fields. A missing field equals one that is `undefined` or `null`. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
