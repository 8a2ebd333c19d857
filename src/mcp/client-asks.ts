import {
  type ClientCapabilities,
  type CreateMessageRequestParams,
  type InputRequiredResult,
  inputRequired,
  ProtocolErrorCode,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Ask, SamplingPrompt } from "../kernel/reply.ts";
import type { Answers } from "../operations/pipeline/context.ts";
import type { RequestStates } from "./request-state.ts";

const rootsTimeoutMs = 3_000;
const optionalRootsTimeoutMs = 1_500;
/** How long to wait for a critique. Most models need less, and clients abandon a call after a minute. */
const critiqueTimeoutMs = 45_000;

const rootsAnswer = z.object({
  roots: z.array(z.object({ uri: z.string().max(2_000), name: z.string().max(200).optional() })).max(200),
});

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const critiqueAnswer = z.object({
  role: z.literal("assistant"),
  model: z.string().min(1),
  content: z
    .unknown()
    .transform((content) => [content].flat())
    .pipe(z.array(z.unknown())),
});

/** Modern clients send their answers when they repeat the call. A critique is accepted only with our signed state. */
export function answersIn(context: ServerContext): Answers {
  const { inputResponses: responses, requestState } = context.mcpReq;
  const state = requestState<Record<string, unknown>>();
  return {
    ...(responses && "roots" in responses && { roots: parseRoots(responses["roots"]) }),
    ...(state !== undefined && { state, critique: parseCritique(responses?.["critique"]) }),
  };
}

/** `sampling` is what the client declares about its model, such as whether it accepts context. */
export async function toInputRequired(
  ask: Ask,
  states: RequestStates,
  context: ServerContext,
  sampling: ClientCapabilities["sampling"],
): Promise<InputRequiredResult> {
  if (ask.ask === "roots") return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  return inputRequired({
    inputRequests: { critique: inputRequired.createMessage(toSampling(ask.prompt, sampling)) },
    requestState: await states.mint(ask.state, context),
  });
}

/** Asks a legacy client over its connection. If the client does not answer in time, the question fails. */
export async function askLegacyClient(
  ask: Ask,
  context: ServerContext,
  sampling: ClientCapabilities["sampling"],
): Promise<Answers> {
  const { send } = context.mcpReq;
  if (ask.ask === "roots") {
    try {
      const timeout = ask.isOptional ? optionalRootsTimeoutMs : rootsTimeoutMs;
      return { roots: parseRoots(await send({ method: "roots/list" }, { timeout })) };
    } catch (thrown) {
      const isLate = codeOf(thrown) === SdkErrorCode.RequestTimeout;
      return { roots: { failed: reasonOf(thrown), ...(isLate && { isLate }) } };
    }
  }
  try {
    const params = { ...toSampling(ask.prompt, sampling) };
    const answer = await send({ method: "sampling/createMessage", params }, { timeout: critiqueTimeoutMs });
    return { state: ask.state, critique: parseCritique(answer) };
  } catch (thrown) {
    return { state: ask.state, critique: toFailure(thrown) };
  }
}

/**
 * Returns why a question failed. A capability that a client declares but does not implement counts as absent.
 */
function toFailure(thrown: unknown): { failed: string; unsupported?: true } {
  return {
    failed: reasonOf(thrown),
    ...(codeOf(thrown) === ProtocolErrorCode.MethodNotFound && { unsupported: true as const }),
  };
}

function toSampling(
  { system, text, maxTokens, preferences }: SamplingPrompt,
  sampling: ClientCapabilities["sampling"],
): CreateMessageRequestParams {
  return {
    messages: [{ role: "user", content: { type: "text", text } }],
    systemPrompt: system,
    maxTokens,
    modelPreferences: preferences,
    ...(sampling?.context !== undefined && { includeContext: "thisServer" as const }),
  };
}

const codeOf = (thrown: unknown): unknown => (thrown as { code?: unknown } | undefined)?.code;

/** Returns the message without the JSON that the SDK appends about a malformed answer. */
const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error
    ? thrown.message.slice(0, 200).replace(/:?\s*\[\s*\{[\s\S]*$/, "") || "the client's answer is malformed"
    : "the client failed";

function parseRoots(value: unknown): NonNullable<Answers["roots"]> {
  const parsed = rootsAnswer.safeParse(value);
  return parsed.success ? parsed.data.roots : { failed: "its list of roots is malformed" };
}

function parseCritique(value: unknown): NonNullable<Answers["critique"]> {
  const parsed = critiqueAnswer.safeParse(value);
  if (!parsed.success)
    return { failed: value === undefined ? "the client declined" : "the client's answer was malformed" };
  const texts = parsed.data.content.flatMap((block) => {
    const read = textBlock.safeParse(block);
    return read.success ? [read.data.text] : [];
  });
  const text = texts.join("\n").trim();
  return text === ""
    ? { failed: "the client's answer contained no text" }
    : { text, model: parsed.data.model };
}
