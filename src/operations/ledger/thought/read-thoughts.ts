import * as z from "zod";
import { closesSchema, closingOf } from "../../../domain/ledger/branch-closing.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import {
  type ChainedThought,
  describeAddress,
  nodeId,
  type Thought,
  thoughtSchema,
} from "../../../domain/ledger/thought.ts";
import { clip } from "../../../kernel/text.ts";
import type { LedgerStore, ThoughtSelection } from "../../../ports/ledger-store.ts";
import type { Fail } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { branchId, cipherType, thoughtNumber } from "../../pipeline/fields.ts";
import { maxAnswerChars } from "../../pipeline/fit/budget.ts";
import { keepNewest, type NewestPlan } from "../../pipeline/fit/newest.ts";
import type { TrimPlan } from "../../pipeline/fit/trim.ts";
import { readRemarks, thoughtRemarksSchema } from "./remark.ts";

/** The maximum number of thoughts per answer. A read loads one more, to detect whether any are omitted. */
const maxThoughts = 500;

/** Reads return only the text and the address. `verbose` adds the rest. */
export const readBackSchema = thoughtSchema
  .partial({ totalThoughts: true, nextThoughtNeeded: true, timestamp: true })
  .extend({
    rejected: z.literal(true).optional(),
    /** The position in order of arrival. Set only if `chain` is `all`. */
    position: z.int().optional(),
    closes: closesSchema.optional(),
  });
type ReadBack = z.infer<typeof readBackSchema>;

export function readBack(data: Thought): ReadBack {
  const {
    cipher: _parse,
    totalThoughts: _total,
    nextThoughtNeeded: _next,
    timestamp: _time,
    isRevision: _implied,
    critiqueRequested: _asked,
    ...shown
  } = data;
  return { ...shown, ...closesOf(data) };
}

function closesOf({ thought }: Thought): Pick<ReadBack, "closes"> {
  const { branchId, outcome } = closingOf(thought) ?? {};
  return branchId !== undefined && outcome ? { closes: { branchId, outcome } } : {};
}

export const readThoughts = defineOperation({
  name: "read_thoughts",
  family: "ledger",
  title: "Read thoughts",
  summary: "Reads recorded thoughts: one by number, a range, or a branch. By default, returns the last five.",
  advice: "To continue earlier work, use load_context.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "read",
  scope: "session",
  input: {
    thoughtNumber: thoughtNumber.optional().describe("One thought by its number."),
    last: z.int().min(1).max(maxThoughts).optional().describe("How many of the newest to read. Default: 5."),
    range: z.array(thoughtNumber).length(2).optional().describe("First and last number, inclusive."),
    branchId: branchId
      .optional()
      .describe("Branch to read from. If only branchId is passed, the whole branch is returned."),
    chain: z
      .enum(["main", "all"])
      .default("main")
      .describe("all reads the main chain and every branch in recording order. Default: main."),
    type: cipherType.optional(),
    maxChars: z
      .int()
      .min(300)
      .max(maxAnswerChars)
      .default(60_000)
      .describe("Maximum length of the answer. The newest thoughts are kept. Default: 60000."),
    verbose: z.boolean().optional().describe("Adds times, totals and the parsed notation."),
    offset: z
      .int()
      .min(0)
      .max(limits.thoughtBytes)
      .optional()
      .describe("Where to continue a long thought. Needs thoughtNumber."),
  },
  advanced: ["chain", "maxChars", "offset", "verbose"],
  output: z.strictObject({
    sessionId: z.string(),
    query: z.string(),
    count: z.int(),
    thoughts: z.array(readBackSchema),
    /** People's remarks on these thoughts. */
    remarks: z.array(thoughtRemarksSchema).optional(),
    /** Set if the answer covers only the main chain. */
    branchesNotShown: z.int().optional(),
    truncated: z.literal(true).optional(),
    nextOffset: z.int().optional(),
    more: z.string().optional(),
  }),
  fit: { plan: (_answer, input) => fitThoughts(input as FitInput) },
  errors: ["SESSION_NOT_FOUND", "THOUGHT_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "the last two", given: "a session with thoughts", input: { sessionId: "$session", last: 2 } },
    { title: "one", given: "a session with thoughts", input: { sessionId: "$session", thoughtNumber: 2 } },
    { title: "a range", given: "a session with thoughts", input: { sessionId: "$session", range: [1, 3] } },
    {
      title: "a branch",
      given: "a session with a branch",
      input: { sessionId: "$session", branchId: "alt" },
    },
    {
      title: "all chains together",
      given: "a session with a branch",
      input: { sessionId: "$session", chain: "all", last: 10 },
    },
  ],

  async handle(input, { callerState, ledger, remarks: kept, clock, fail, settings }) {
    const selection = toSelection(input, fail);
    const sessionId = callerState.sessionId;
    ledger.touch(sessionId, clock().toISOString());
    const isAll = input.chain === "all";
    const found = isAll
      ? await readAllLines(ledger, callerState.session, selection)
      : await ledger.readThoughts(sessionId, selection);
    if (found.length === 0) await explainNothing();
    const { isRejected } = await ledger.loadRejections(sessionId);
    const all: ReadBack[] = found.map(({ data, position }) => ({
      ...(input.verbose ? { ...data, ...closesOf(data) } : readBack(data)),
      ...(isRejected(data) && { rejected: true }),
      ...(isAll && { position }),
    }));
    const { offset } = input;
    const show = settings.secrets.forAnswer;
    const asked = offset === undefined ? all : all.map((data) => startingAt(data, offset, show));
    const thoughts = asked.slice(-maxThoughts);
    const left = asked.slice(0, -maxThoughts);
    const remarks = (await readRemarks(kept, sessionId)).filter((one) =>
      thoughts.some((shown) => nodeId("", shown) === nodeId("", one)),
    );
    // If this note were missing, a reader could mistake the main chain for the whole session.
    const isMainLine = !isAll && input.branchId === undefined && selection.select !== "one";
    const branchesNotShown = isMainLine ? callerState.session.branchCount : 0;
    return {
      sessionId,
      query: `${describeSelection(selection)}${isAll ? " of all chains" : ""}`,
      count: thoughts.length,
      thoughts,
      ...(remarks.length > 0 && { remarks }),
      ...(branchesNotShown > 0 && { branchesNotShown }),
      ...(left.length > 0 && { truncated: true as const, more: olderThan(input, left) }),
    };

    async function explainNothing(): Promise<void> {
      const index = await ledger.loadIndex(sessionId);
      const known = index.branches().map((branch) => branch.branchId);
      if (input.branchId !== undefined && !known.includes(input.branchId)) {
        fail("THOUGHT_NOT_FOUND", `There is no branch ${input.branchId}.`, {
          details: { branches: known.slice(0, 20) },
          recovery: { hint: "List the existing branches.", operation: "get_structure", args: {} },
        });
      }
      if (input.thoughtNumber !== undefined) {
        const address = { branchId: input.branchId, thoughtNumber: input.thoughtNumber };
        fail("THOUGHT_NOT_FOUND", `There is no ${describeAddress(address)}.`, {
          details: { highest: index.chain(input.branchId).at(-1) ?? 0 },
          recovery: { hint: "See the existing thoughts.", operation: "get_structure", args: {} },
        });
      }
    }
  },
});

type Input = {
  thoughtNumber?: number | undefined;
  last?: number | undefined;
  range?: number[] | undefined;
  branchId?: string | undefined;
  type?: string | undefined;
  offset?: number | undefined;
  chain?: "main" | "all" | undefined;
};

type FitInput = Input & { maxChars: number };

function toSelection(input: Input, fail: Fail<"INVALID_PAYLOAD">): ThoughtSelection {
  const { thoughtNumber, last, range, branchId, type } = input;
  const given = Object.entries({ thoughtNumber, range, last }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    // Suggests the argument that always returns thoughts: the newest ones, or a range.
    const [[kept = ""] = [], ...others] = given.toReversed();
    return fail("INVALID_PAYLOAD", `Pass only one of ${given.map(([name]) => name).join(" and ")}.`, {
      recovery: {
        hint: `Read with ${kept} only.`,
        operation: "read_thoughts",
        args: Object.fromEntries(others.map(([name]) => [name, null])),
        patch: true,
      },
    });
  }
  if (input.offset !== undefined && thoughtNumber === undefined) {
    return fail("INVALID_PAYLOAD", "offset needs thoughtNumber: the number of the thought to continue.", {
      recovery: {
        hint: "Omit offset to start at the beginning.",
        operation: "read_thoughts",
        args: { offset: null },
        patch: true,
      },
    });
  }
  const named = Object.entries({ thoughtNumber, branchId }).find(([, value]) => value !== undefined)?.[0];
  if (input.chain === "all" && named !== undefined)
    return fail("INVALID_PAYLOAD", `chain: "all" reads the main chain and every branch. Omit ${named}.`, {
      recovery: {
        hint: `Omit chain, and read with ${named} only.`,
        operation: "read_thoughts",
        args: { chain: null },
        patch: true,
      },
    });
  const chain = { branchId, type };
  if (thoughtNumber !== undefined) return { ...chain, select: "one", thoughtNumber };
  if (last !== undefined || (range === undefined && branchId === undefined))
    return { ...chain, select: "last", count: last ?? 5 };
  const [from = 1, to = limits.thoughtNumber] = range ?? [];
  if (from > to)
    return fail("INVALID_PAYLOAD", `range must be ascending: [${to}, ${from}].`, {
      recovery: {
        hint: "Use the same range in ascending order.",
        operation: "read_thoughts",
        args: { range: [to, from] },
        patch: true,
      },
    });
  return { ...chain, select: "range", from, to, count: maxThoughts + 1 };
}

function describeSelection(selection: ThoughtSelection): string {
  const where = selection.branchId === undefined ? "" : ` of branch ${selection.branchId}`;
  switch (selection.select) {
    case "one":
      return `thought ${selection.thoughtNumber}${where}`;
    case "last":
      return `last ${selection.count}${where}`;
    case "range":
      return selection.to === limits.thoughtNumber && selection.branchId !== undefined
        ? `branch ${selection.branchId}`
        : `thoughts ${selection.from}–${selection.to}${where}`;
  }
}

/** Reads thoughts in order of arrival. A range refers to that order. */
async function readAllLines(
  ledger: LedgerStore,
  { id, thoughtCount }: Session,
  selection: ThoughtSelection,
): Promise<ChainedThought[]> {
  const { type } = selection;
  const [from, to] =
    selection.select === "range" ? [selection.from, Math.min(selection.to, thoughtCount)] : [1, thoughtCount];
  const wanted = selection.select === "one" ? 1 : selection.count;
  const found: ChainedThought[] = [];
  for (let end = to; end >= from && found.length < wanted; end -= maxThoughts) {
    const start = Math.max(from, end - maxThoughts + 1);
    const entries = await ledger.readEntries(id, start - 1, end - start + 1);
    found.unshift(
      ...entries.filter(({ data }) => type === undefined || data.cipher?.some((step) => step.type === type)),
    );
  }
  return found.slice(-wanted);
}

/** Starts the text at an offset. The offset refers to the displayed text, so it cannot split a secret. */
function startingAt(data: ReadBack, offset: number, show: (text: string) => string): ReadBack {
  const { cipher: _cipher, ...lean } = data;
  const shown = show(data.thought);
  return { ...lean, thought: shown.slice(clip(shown, offset).length) };
}

/** Keeps the newest thoughts. If a single thought is too long, its text continues at `nextOffset`. */
function fitThoughts(input: FitInput): TrimPlan {
  const adjust: NewestPlan["adjust"] = (result, { dropped, nextOffset }) => {
    const thoughts = result["thoughts"] as ReadBack[];
    const counted = { ...result, count: thoughts.length };
    if (nextOffset === undefined) return { ...counted, more: olderThan(input, dropped as ReadBack[]) };
    const { thoughtNumber, branchId } = thoughts[0] ?? {};
    const isAll = input.chain === "all";
    const branch = isAll && branchId !== undefined ? `, branchId ${branchId}` : "";
    const more = `To continue, pass thoughtNumber ${thoughtNumber}${branch} and nextOffset as offset${isAll ? ", without chain" : ""}.`;
    return { ...counted, nextOffset: nextOffset + (input.offset ?? 0), more };
  };
  const { maxChars } = input;
  const plan: NewestPlan = { key: "thoughts", maxChars, text: "thought", expendable: ["cipher"], adjust };
  return { own: (answer, limits) => keepNewest(answer, plan, limits) };
}

/** Describes omitted thoughts by their lowest and highest numbers, because numbers arrive in any order. */
function olderThan({ range, last, branchId }: Input, left: readonly ReadBack[]): string {
  const numbers = left.map(({ position, thoughtNumber }) => position ?? thoughtNumber);
  const isWholeBranch = branchId !== undefined && last === undefined;
  const from = range?.[0] ?? (isWholeBranch ? 1 : Math.min(...numbers));
  return `Read older thoughts with range [${from}, ${Math.max(...numbers)}].`;
}
