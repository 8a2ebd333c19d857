import * as z from "zod";
import { buildCritiquePrompt } from "../../../domain/critique/critique-prompt.ts";
import type { Thought } from "../../../domain/ledger/thought.ts";
import { type Address, addressOf } from "../../../domain/ledger/thought.ts";
import { toThoughtboxError } from "../../../kernel/errors.ts";
import type { Ask, SamplingPrompt } from "../../../kernel/reply.ts";
import { clip } from "../../../kernel/text.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { putIntoWords } from "../../pipeline/recoveries.ts";
import { findOpenedBefore } from "./record-thought.ts";

const longestCritique = 16_000;
const recentThoughts = 5;

export const critiqueSchema = z.strictObject({ text: z.string(), model: z.string(), timestamp: z.string() });
export const selfCritiqueSchema = z.strictObject({
  prompt: z.string(),
  answerWith: z.record(z.string(), z.unknown()),
});

type Recorded = { sessionId: string; thoughtNumber: number; branchId?: string | undefined } & Record<
  string,
  unknown
>;

type Pending = {
  recorded: Recorded;
  /** The salt of the critique's hash. The salt also identifies a repeated answer. */
  salt: string;
};

/**
 * The thought is stored exactly once, before the client is asked. If the client supports sampling, the call
 * runs again with the client's answer. If the client does not support it, the caller gets the questions.
 */
export async function requestCritique(
  context: OperationContext,
  recorded: Recorded,
  thought: Thought,
): Promise<Recorded | Ask> {
  const prompt = await promptFor(context, recorded.sessionId, thought);
  if (context.caller.can.sampling) {
    const state: Pending = { recorded, salt: context.newSalt() };
    return { ask: "critique", prompt, state };
  }
  context.warn(notSupported);
  return { ...recorded, selfCritique: toSelfCritique(prompt, thought) };
}

const notSupported = {
  code: "SAMPLING_NOT_SUPPORTED",
  message:
    "The thought is recorded. Thoughtbox cannot ask this client for a critique. Answer selfCritique yourself.",
};

/** Returns the questions about a thought. They depend only on earlier thoughts, so they never change. */
async function promptFor(
  { ledger }: OperationContext,
  sessionId: string,
  thought: Thought,
): Promise<SamplingPrompt> {
  const index = await ledger.loadIndex(sessionId);
  const earlier = await Promise.all(
    index
      .ancestors(thought, recentThoughts)
      .map((address) => ledger.readThoughts(sessionId, { ...address, select: "one" })),
  );
  return buildCritiquePrompt(
    earlier.flat().map(({ data }) => data),
    thought,
  );
}

const toSelfCritique = ({ text }: SamplingPrompt, thought: Address) => ({
  prompt: text,
  answerWith: { attachCritique: { ...addressOf(thought), text: "…" } },
});

/** Adds the questions to the answer. If that fails, the thought is still recorded. */
async function withSelfCritique(context: OperationContext, recorded: Recorded): Promise<Recorded> {
  const { sessionId } = recorded;
  try {
    const [found] = await context.ledger.readThoughts(sessionId, { ...addressOf(recorded), select: "one" });
    if (!found) return recorded;
    const prompt = await promptFor(context, sessionId, found.data);
    return { ...recorded, selfCritique: toSelfCritique(prompt, found.data) };
  } catch {
    return recorded;
  }
}

/** After a client refuses, its agent repeats the call within this time. */
const refusedForMs = 10 * 60_000;

/**
 * Finds the thought if its agent repeats it because the client refused to sample. In the modern protocol,
 * such a client ends the call without notifying the server. The repeated thought is then the newest in the
 * chain, without a critique.
 */
export async function findRefused(
  context: OperationContext,
  input: Pick<Thought, "thought" | "nextThoughtNeeded"> & {
    branchId?: string | undefined;
    thoughtNumber?: number | undefined;
  },
): Promise<Recorded | undefined> {
  const { caller, callerState, ledger, clock, once } = context;
  if (caller.era !== "modern" || once) return undefined;
  // Over HTTP, a client may not have seen the ID of the session that it opened.
  const sessionId = callerState.sessionId ?? (await findOpenedBefore(context));
  if (sessionId === undefined) return undefined;
  const { branchId, thought, thoughtNumber } = input;
  const [newest] = await ledger.readThoughts(sessionId, { branchId, select: "last", count: 1 });
  if (!newest?.data.critiqueRequested || newest.data.critique || newest.data.thought !== thought)
    return undefined;
  // If this call ends the session and the stored thought did not, this is a new thought and not a retry.
  if (newest.data.nextThoughtNeeded && !input.nextThoughtNeeded) return undefined;
  if (thoughtNumber !== undefined && thoughtNumber !== newest.data.thoughtNumber) return undefined;
  const isLate = clock().getTime() - Date.parse(newest.data.timestamp) > refusedForMs;
  return isLate ? undefined : { sessionId, ...addressOf(newest.data) };
}

/** Answers a repeated thought with the questions, without asking the client again. */
export async function answerRefused(context: OperationContext, recorded: Recorded): Promise<Recorded> {
  context.warn({
    code: "CRITIQUE_FAILED",
    message:
      "Your earlier call recorded the thought, so it was not recorded again. Your client refused to write a critique. Answer selfCritique yourself.",
  });
  return withSelfCritique(context, recorded);
}

/** The second run of a call attaches the critique, or reports why there is none. */
export async function finishCritique(context: OperationContext): Promise<Recorded> {
  const { critique, state } = context.answers;
  const { recorded, salt } = state as Pending;
  if (critique === undefined || "failed" in critique) {
    const failed = {
      code: "CRITIQUE_FAILED",
      message: `The thought is recorded. There is no critique: ${critique?.failed ?? "the client did not answer"}. Answer selfCritique yourself.`,
    };
    context.warn(critique?.unsupported ? notSupported : failed);
    return withSelfCritique(context, recorded);
  }
  try {
    const { sessionId, thoughtNumber, branchId } = recorded;
    const earlier = await findAttached(context, sessionId, salt);
    if (earlier) return { ...recorded, critique: earlier };
    const text = clip(critique.text, longestCritique);
    const given = { text, model: critique.model, salt };
    return { ...recorded, critique: await attach(context, sessionId, { branchId, thoughtNumber }, given) };
  } catch (thrown) {
    warnOfLost(context, thrown);
    return withSelfCritique(context, recorded);
  }
}

/** Records the new thought even if the critique of the earlier one cannot be recorded. */
export async function attachGiven(
  context: OperationContext,
  sessionId: string,
  address: Address,
  { text, model }: { text: string; model: string },
): Promise<void> {
  try {
    await attach(context, sessionId, address, { text, model, salt: context.newSalt() });
  } catch (thrown) {
    warnOfLost(context, thrown);
  }
}

function warnOfLost({ warn }: OperationContext, thrown: unknown): void {
  const { message } = putIntoWords(toThoughtboxError(thrown));
  warn({
    code: "CRITIQUE_FAILED",
    message: `The thought is recorded. The critique was not recorded: ${message}`,
  });
}

/**
 * Finds the critique if an earlier call already stored it. A broken connection or a client's cache can repeat
 * an answer.
 */
async function findAttached(
  { ledger }: OperationContext,
  sessionId: string,
  salt: string,
): Promise<z.infer<typeof critiqueSchema> | undefined> {
  const { entries } = await ledger.readCritiqueChain(sessionId);
  const found = entries.find((entry) => entry.salt === salt);
  return found && { text: found.text, model: found.model, timestamp: found.timestamp };
}

async function attach(
  { ledger, clock }: OperationContext,
  sessionId: string,
  address: Address,
  { text, model, salt }: { text: string; model: string; salt: string },
): Promise<z.infer<typeof critiqueSchema>> {
  const critique = {
    text: clip(text, longestCritique),
    model: clip(model, 200),
    timestamp: clock().toISOString(),
  };
  await ledger.attachCritique({ sessionId, address, salt, ...critique });
  return critique;
}
