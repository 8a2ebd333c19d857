import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Ask } from "../kernel/reply.ts";
import type { Answers, Root } from "../operations/define.ts";

const rootsTimeoutMs = 3_000;
const rootsAnswer = z.object({
  roots: z.array(z.object({ uri: z.string().max(2_000), name: z.string().max(200).optional() })).max(200),
});

/** What this request's client can be asked for: told at `initialize` once, or with every modern request. */
export function clientCapabilities(
  initial: ClientCapabilities | undefined,
  context: ServerContext,
): ClientCapabilities {
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
  return (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? initial ?? {};
}

/** Modern clients carry their answers in the call they send again. */
export function answersIn(context: ServerContext): Answers {
  const responses = context.mcpReq.inputResponses;
  return responses === undefined ? {} : { roots: parseRoots(responses["roots"]) };
}

export function toInputRequired(_ask: Ask): InputRequiredResult {
  return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
}

/** Legacy clients are asked over the connection; one that does not answer in time counts as having none. */
export async function askLegacyClient(_ask: Ask, context: ServerContext): Promise<Answers> {
  try {
    const answer = await context.mcpReq.send({ method: "roots/list" }, { timeout: rootsTimeoutMs });
    return { roots: parseRoots(answer) };
  } catch {
    return { roots: [] };
  }
}

function parseRoots(value: unknown): readonly Root[] {
  const parsed = rootsAnswer.safeParse(value);
  return parsed.success ? parsed.data.roots : [];
}
