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
import type { Caller, Conversation } from "../operations/pipeline/context.ts";

/** IDs from known clients are shorter. Longer values are ignored. */
const id = z.string().min(1).max(200).optional().catch(undefined);

const fields = z.object({
  "claudecode/toolUseId": id,
  callId: id,
  threadId: id,
  "x-codex-turn-metadata": z.object({ session_id: id, thread_id: id }).optional().catch(undefined),
});

type Named = { conversation: Conversation | undefined; toolUse: string | undefined };

/** Reads the conversation from a request. Codex names it. Claude Code names only the call. */
function readMeta(meta: unknown, ofProcess: string | undefined): Named {
  const { callId, threadId, ...read } = fields.safeParse(meta ?? {}).data ?? {};
  const turn = read["x-codex-turn-metadata"];
  const id = turn?.session_id ?? threadId ?? ofProcess;
  // A sub-agent of Codex has its own thread within the session of the agent that started it.
  const agent = turn?.thread_id === id ? undefined : turn?.thread_id;
  return {
    conversation: id === undefined ? undefined : { id, agent },
    toolUse: read["claudecode/toolUseId"] ?? callId,
  };
}

/** The client's name, sent once with `initialize` or with every modern request. */
function clientName(server: Server, context: ServerContext): string {
  const envelope = context.mcpReq.envelope as Record<string, { name?: unknown } | undefined> | undefined;
  const name = envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name;
  return typeof name === "string" ? name.slice(0, 200) : "";
}

/**
 * Identifies the caller. `conversations` is set only over stdio, where an environment variable may name the client's
 * conversation. A shell passes its variables on to other clients too, so each one counts only for its own client.
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
type Rights = Required<Pick<Caller, "mayRunCells" | "hasToken">> & Pick<Caller, "project">;

type AdmittedInfo = AuthInfo & { extra: { rights: Rights } };

/** How a caller was admitted, in the form that the SDK passes from a request to its handler. */
export const toAuthInfo = (
  { principal, mayRunCells, how }: Admitted,
  project: string | undefined,
): AdmittedInfo => ({
  token: "",
  clientId: principal,
  scopes: [],
  extra: { rights: { mayRunCells, hasToken: how === "token", project } },
});

/** The rights that `toAuthInfo` stored. Without them, a caller has none. */
export const rightsIn = (info: AuthInfo | undefined): Rights =>
  (info as AdmittedInfo | undefined)?.extra?.rights ?? { mayRunCells: false, hasToken: false };

/** The questions that this client can answer, sent once with `initialize` or with every modern request. */
export function clientCapabilities(
  initial: ClientCapabilities | undefined,
  context: ServerContext,
): ClientCapabilities {
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? initial ?? {};
}
