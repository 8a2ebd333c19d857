import type { KeptAction } from "../../actions/kept-action.ts";
import { pathOf, readActions, readPaths, readRefusal } from "../../actions/read-actions.ts";
import type { Address } from "../../ledger/thought.ts";
import { keyOf } from "../../ledger/tree/arrivals.ts";
import { cleanText, cutMiddle, withoutColours } from "../clean-text.ts";
import { type Block, createTally, type Tally, type TranscriptEntry, type TranscriptLine } from "../entry.ts";
import { transcriptLimits } from "../limits.ts";
import { createReads, tookFrom } from "./gather-reads.ts";
import { type Begin, createStrands, type Strand } from "./strands.ts";

export type PlannedThought = {
  address: Address;
  fork?: Address | undefined;
  revises?: Address | undefined;
  text: string;
  at: string | undefined;
  agentId: string;
};

export type ThoughtPlan = {
  /** The user's first message. */
  opening: string | undefined;
  /** Thoughts that have not been imported. */
  thoughts: readonly PlannedThought[];
  /** The agent's actions that have not been imported, ordered by their results. */
  actions: readonly KeptAction[];
  /** Includes everything imported before. */
  totals: { thoughts: number; actions: number };
  /** True if every call has a result and every request has an answer. */
  settled: boolean;
  branches: number;
  /** The number of branches that are threads of sub-agents. */
  agents: number;
  observations: number;
  corrections: number;
  /** The models that answered, in order of their first answer. */
  models: readonly string[];
  /** The newest call that has no result yet and that no later message follows. */
  running: RunningCall | undefined;
  /** How many lines gave no thought, by kind. */
  skipped: Tally;
  /** True if the transcript is too long for one session. */
  full: boolean;
};

/**
 * `at` is when the call began. `command` describes the call in one line, for people. `path` is the file that
 * the call reads or changes.
 */
export type RunningCall = { command: string; at: string; path?: string | undefined };

export type PlanOptions = {
  /** `thinking` omits the agent's messages and the user's requests. */
  include: "thinking" | "all";
  agent: string;
  /** The branch of this file, if it belongs to a sub-agent. */
  begin?: Begin;
  /**
   * Names of sub-agents that have their own files. Copies of these agents' messages in this file are skipped.
   */
  elsewhere?: ReadonlySet<string>;
};

const beginnings =
  /^(?:no[,.!\s]|nope\b|nah\b|stop\b|wait\b|wrong\b|incorrect\b|actually\b|undo\b|revert\b|instead\b|don'?t\b|do not\b|please don'?t\b|please stop\b|not (?:what|like|that|quite|there)\b|that(?:'s| is| was) (?:not|wrong|incorrect)\b|this is (?:not|wrong)\b|it(?:'s| is) (?:not|still|wrong)\b|you (?:forgot|missed|misread|misunderstood|broke|should(?:n'?t| not))\b|i (?:said|meant|asked|told you)\b|why (?:did|are) you\b)/i;

/** Output of hooks, including Thoughtbox's own, is not evidence. */
const ownNotice =
  /^(?:PreToolUse:[^\n]{0,100} hook error|Command blocked by PreToolUse hook|Hook PreToolUse)/;

/** Clients write `<synthetic>` for messages that no model wrote. */
const modelName = /^[a-z0-9][\w.:@/-]{0,70}$/i;

const interruption = /^\[Request interrupted by user/;

/** True for a command without arguments. The actual request is then in the next message. */
const isBareCommand = /^\/\S+$/;
const isCorrection = (text: string): boolean => beginnings.test(text.slice(0, 80).trimStart());

/** True if the text reports an interruption. The user's message after an interruption is a correction. */
const isInterruption = (text: string): boolean => interruption.test(text);

/**
 * Turns the lines of a transcript, one by one, into thoughts with addresses. The result for a line depends only on that
 * line and earlier ones, so a longer version of a transcript gives the same thoughts and more.
 */
export function createThoughtPlan({ include, agent, begin, elsewhere }: PlanOptions) {
  const strands = createStrands(begin);
  let thoughts: PlannedThought[] = [];
  let actions: KeptAction[] = [];
  const totals = { thoughts: 0, actions: 0 };
  const moments: Moment[] = [];
  let settled = true;
  const calls = new Map<string, OpenCall>();
  /** Calls that may be running. A call is removed when its strand continues, even without a result. */
  const running = new Map<string, RunningCall & { strand: Strand }>();
  const reads = createReads(push);
  const skipped = createTally();
  const rewritten = createRewrites();
  const models = new Set<string>();
  let opening: string | undefined;
  let [chars, observations, corrections, full] = [0, 0, 0, false];

  function push(action: KeptAction): void {
    if (totals.actions >= transcriptLimits.actions) return;
    totals.actions += 1;
    actions.push(action);
  }

  /**
   * Ends a strand's reads and running calls. Call this when the agent or the user sends a message, because
   * earlier calls are then finished.
   */
  function goOn(strand: Strand): void {
    reads.close(strand);
    for (const [id, call] of running) if (call.strand === strand) running.delete(id);
  }

  function record(
    strand: Strand,
    text: string,
    at: string | undefined,
    who: string,
    revises?: Address,
  ): void {
    reads.close(strand);
    const place = text === "" || full ? undefined : strands.next(strand);
    if (!place) return;
    thoughts.push({ ...place, revises, text, at, agentId: who });
    totals.thoughts += 1;
    if (place.address.branchId === undefined) moments.push({ address: place.address, at });
    strand.tip = place.address;
    chars += text.length;
    full = totals.thoughts >= transcriptLimits.thoughts || chars >= transcriptLimits.textChars;
  }

  function take(entry: TranscriptEntry, block: Block, strand: Strand): void {
    const { at, role } = entry;
    const who = role === "user" ? "user" : (strand.branchId ?? agent).slice(0, 64);
    if (block.type === "thinking" || block.type === "text") goOn(strand);
    switch (block.type) {
      case "thinking":
        record(strand, clean(block.text), at, who);
        break;
      case "text":
        if (entry.summary) skipped.add("compact_summary");
        else if (entry.injected) skipped.add("notice");
        else if (role === "user") hear(block.text, strand, at);
        else if (include === "all" && role === "assistant") record(strand, clean(block.text), at, who);
        break;
      case "tool_call":
        if (block.callId === undefined || calls.size >= transcriptLimits.openCalls) break;
        calls.set(block.callId, { ...block, at, after: strand.tip ?? strand.fork });
        if (at !== undefined)
          running.set(block.callId, { command: block.command, at, path: pathOf(block.input), strand });
        break;
      case "tool_result":
        observe(block, strand, at);
        break;
    }
  }

  function hear(text: string, strand: Strand, at: string | undefined): void {
    if (isInterruption(text)) {
      strand.interrupted = true;
      return;
    }
    if (strand.kind === "main" && (opening === undefined || isBareCommand.test(opening)))
      opening = cleanText(text.trim(), 1_000);
    if (strand.tip && (strand.interrupted || isCorrection(text))) correct(strand, text, at);
    else if (include === "all") record(strand, clean(text), at, "user");
    strand.interrupted = false;
  }

  function correct(strand: Strand, text: string, at: string | undefined): void {
    const { tip } = strand;
    const before = thoughts.length;
    const said = clean(text);
    if (tip && said !== "")
      record(strand, `${stepOf(tip)}|R|^S${tip.thoughtNumber}|${said}`, at, "user", tip);
    corrections += thoughts.length - before;
  }

  function observe(block: Result, strand: Strand, at: string | undefined): void {
    const call = block.callId === undefined ? undefined : calls.get(block.callId);
    if (block.callId !== undefined) calls.delete(block.callId);
    if (block.callId !== undefined) running.delete(block.callId);
    if (call) keep(call, block, strand, at);
    if (!block.failed) return;
    if (ownNotice.test(block.text.slice(0, 200))) {
      skipped.add("hook");
      return;
    }
    const command = call?.command;
    const named = command === undefined ? "A tool" : `\`${command.replaceAll("`", "'")}\``;
    const refused = readRefusal(block.text);
    if (refused !== undefined && strand.tip)
      correct(strand, refused === "" ? `${named} was refused by the user.` : refused, at);
    else report(strand, named, block.text, at);
  }

  /** Records a finished call. A transcript may have no times, but the ledger needs one. */
  function keep(call: OpenCall, result: Result, strand: Strand, at: string | undefined): void {
    const { callId = "", tool, command, input, after } = call;
    const asked = { id: callId, tool, command, input };
    const { branchId } = strand;
    const took = tookFrom(call.at, at);
    const place = {
      at: call.at ?? at ?? noTime,
      ...(took !== undefined && { took }),
      ...(branchId !== undefined && { branchId }),
      ...(after && { after }),
    };
    const paths = readPaths(asked, result);
    if (paths.length > 0)
      reads.add(strand, { type: "read", call: callId, part: 0, tool, paths, ...place }, at);
    const done = readActions(asked, result);
    if (done.length > 0) reads.close(strand);
    for (const action of done) push({ ...action, ...place });
  }

  function report(strand: Strand, named: string, printed: string, at: string | undefined): void {
    const before = thoughts.length;
    const output = clean(cutMiddle(withoutColours(printed).trim(), transcriptLimits.observationChars));
    const quoted = output === "" ? "" : `\n${output.replaceAll(/^/gm, "> ")}`;
    const { tip } = strand;
    const reference = tip ? `S${tip.thoughtNumber}|` : "";
    record(strand, `${stepOf(tip ?? strand.fork)}|O|${reference}${named} failed.${quoted}`, at, "tool");
    observations += thoughts.length - before;
  }

  return {
    add(line: TranscriptLine): void {
      if (line.skipped !== undefined) skipped.add(line.skipped);
      if (line.rolledBack !== undefined) strands.rollBack(line.rolledBack);
      if (line.rewoundTo !== undefined) strands.rewindTo(line.rewoundTo);
      const model = line.session?.model ?? "";
      if (modelName.test(model) && models.size < transcriptLimits.models) models.add(model);
      const entry = line.entry?.rewritten ? rewritten.next(line.entry) : line.entry;
      if (!entry || (entry.thread !== undefined && elsewhere?.has(entry.thread))) return;
      const strand = strands.place(entry);
      for (const block of entry.blocks) take(entry, block, strand);
      if (entry.blocks.length > 0 && strand.kind === "main") settled = isAnswer(entry);
      strands.leave(entry, strand);
    },
    /** The times of the main line's thoughts. */
    moments: moments as readonly Moment[],
    /** Returns the plan since the previous call to `take`. */
    take(): ThoughtPlan {
      const fresh = { ...describe(), thoughts, actions };
      thoughts = [];
      actions = [];
      return fresh;
    },
  };

  function describe(): Omit<ThoughtPlan, "thoughts" | "actions"> {
    return {
      opening,
      totals: { ...totals },
      settled,
      ...strands.counts(),
      observations,
      corrections,
      models: [...models],
      running: newestOf([...running.values()]),
      skipped: skipped.counts(),
      full,
    };
  }
}

const newestOf = (calls: readonly (RunningCall | undefined)[]): RunningCall | undefined =>
  calls.reduce<RunningCall | undefined>(
    (newest, call) =>
      call && (!newest || call.at >= newest.at)
        ? { command: call.command, at: call.at, path: call.path }
        : newest,
    undefined,
  );

export type PlanInProgress = ReturnType<typeof createThoughtPlan>;

type Moment = { address: Address; at: string | undefined };

/** True if the agent wrote a message and called no tool, which ends its turn. */
const isAnswer = ({ role, blocks }: TranscriptEntry): boolean =>
  role === "assistant" &&
  blocks.some(({ type }) => type === "text") &&
  blocks.every(({ type }) => type !== "tool_call");

/** How many of the latest messages may still change. Programs do not update earlier messages. */
const mostRewritten = 64;

/** Finds the new parts of repeated messages. */
function createRewrites() {
  const seen = new Map<string, Set<string>>();
  return {
    next(entry: TranscriptEntry): TranscriptEntry | undefined {
      const { id = "" } = entry;
      const known = seen.get(id) ?? new Set();
      const fresh = entry.blocks.filter((block, index) => {
        const key = keyOfBlock(block, index);
        return !known.has(key) && known.add(key);
      });
      seen.delete(id);
      seen.set(id, known);
      for (const oldest of seen.keys()) if (seen.size > mostRewritten) seen.delete(oldest);
      return fresh.length === 0 ? undefined : { ...entry, blocks: fresh };
    },
  };
}

const keyOfBlock = (block: Block, index: number): string =>
  block.type === "tool_call" || block.type === "tool_result"
    ? `${block.type} ${block.callId}`
    : `${block.type} ${index}`;

type Result = Extract<Block, { type: "tool_result" }>;
type OpenCall = Extract<Block, { type: "tool_call" }> & {
  at: string | undefined;
  after: Address | undefined;
};

const noTime = "1970-01-01T00:00:00.000Z";

const clean = (text: string): string => cleanText(text.trim(), transcriptLimits.thoughtChars);

/** Returns the number of the next step, such as `S5`. */
const stepOf = (before: Address | undefined): string => `S${(before?.thoughtNumber ?? 0) + 1}`;

/** Returns the main chain's last thought at that time, or its first thought if the main chain began later. */
export function forkAt(main: readonly Moment[], at: string | undefined): Address | undefined {
  const before = main.findLast((thought) => at === undefined || (thought.at ?? "") <= at);
  return (before ?? main[0])?.address;
}

/** Orders the thoughts of a session and its sub-agents by time. A fork follows the thought it forks from. */
export function joinPlans(main: ThoughtPlan, agents: readonly ThoughtPlan[]): ThoughtPlan {
  const plans = [main, ...agents];
  const timed = inOrder(main.thoughts, "");
  const timeOf = new Map(timed.map(({ thought, time }) => [keyOf(thought.address), time]));
  // Puts the main file first if times are equal, so that a sub-agent's thoughts never precede the thought
  // they fork from.
  const thoughts = plans.flatMap((plan, which) => {
    const fork = plan.thoughts[0]?.fork;
    const earliest = (which > 0 && fork && timeOf.get(keyOf(fork))) || "";
    return inOrder(plan.thoughts, earliest).map(({ thought, time }, index) => ({
      thought,
      time,
      which,
      index,
    }));
  });
  thoughts.sort((a, b) => compare(a.time, b.time) || a.which - b.which || a.index - b.index);
  const sum = (count: (plan: ThoughtPlan) => number) => plans.reduce((total, plan) => total + count(plan), 0);
  const skipped = createTally();
  for (const plan of plans) skipped.addAll(plan.skipped);
  return {
    opening: main.opening,
    thoughts: thoughts.map(({ thought }) => thought),
    actions: plans.flatMap(({ actions }) => actions).sort((a, b) => compare(a.at, b.at)),
    totals: { thoughts: sum(({ totals }) => totals.thoughts), actions: sum(({ totals }) => totals.actions) },
    settled: main.settled,
    branches: sum(({ branches }) => branches),
    agents: sum(({ agents }) => agents),
    observations: sum(({ observations }) => observations),
    corrections: sum(({ corrections }) => corrections),
    models: [...new Set(plans.flatMap(({ models }) => models))].slice(0, transcriptLimits.models),
    running: newestOf(plans.map(({ running }) => running)),
    skipped: skipped.counts(),
    full: plans.some(({ full }) => full),
  };
}

/** Gives each thought a time. Keeps the order within a file, even if the clock ran backwards. */
function inOrder(
  thoughts: readonly PlannedThought[],
  earliest: string,
): { thought: PlannedThought; time: string }[] {
  let time = earliest;
  return thoughts.map((thought) => {
    if (thought.at !== undefined && thought.at > time) time = thought.at;
    return { thought, time };
  });
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
