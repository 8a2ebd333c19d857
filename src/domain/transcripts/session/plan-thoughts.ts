import type { Address } from "../../ledger/address.ts";
import { cleanText, cutMiddle, withoutColours } from "../clean-text.ts";
import { isCorrection, isInterruption, readRefusal } from "../correction.ts";
import type { Block, TranscriptEntry, TranscriptLine } from "../entry.ts";
import { transcriptLimits } from "../limits.ts";
import { createTally, type Tally } from "../tally.ts";
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
  /** What the user said first. */
  opening: string | undefined;
  thoughts: readonly PlannedThought[];
  branches: number;
  /** Branches that are threads of sub-agents. */
  agents: number;
  observations: number;
  corrections: number;
  /** Lines that became nothing, by their kind. */
  skipped: Tally;
  /** The transcript holds more than one session takes in. */
  full: boolean;
};

export type PlanOptions = {
  /** `thinking`: without what was said, and what the user asked. */
  include: "thinking" | "all";
  /** Who thinks; the agent's name on its thoughts. */
  agent: string;
  /** The branch that this file is, where it is the thread of a sub-agent. */
  begin?: Begin;
};

/**
 * Turns the lines of a transcript, one after the other, into thoughts with their places. What a line becomes depends on
 * the lines before it alone, so a transcript that grew gives the same thoughts and more.
 */
export function createThoughtPlan({ include, agent, begin }: PlanOptions) {
  const strands = createStrands(begin);
  const thoughts: PlannedThought[] = [];
  const commands = new Map<string, string>();
  const skipped = createTally();
  let opening: string | undefined;
  let [chars, observations, corrections, full] = [0, 0, 0, false];

  function record(
    strand: Strand,
    text: string,
    at: string | undefined,
    who: string,
    revises?: Address,
  ): void {
    const place = text === "" || full ? undefined : strands.next(strand);
    if (!place) return;
    thoughts.push({ ...place, revises, text, at, agentId: who });
    strand.tip = place.address;
    chars += text.length;
    full = thoughts.length >= transcriptLimits.thoughts || chars >= transcriptLimits.textChars;
  }

  function take(entry: TranscriptEntry, block: Block, strand: Strand): void {
    const { at, role } = entry;
    const who = role === "user" ? "user" : (strand.branchId ?? agent).slice(0, 64);
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
        if (block.callId !== undefined && commands.size < transcriptLimits.openCalls)
          commands.set(block.callId, block.command);
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
    if (strand.kind === "main") opening ??= cleanText(text.trim(), 1_000);
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

  function observe(
    block: Extract<Block, { type: "tool_result" }>,
    strand: Strand,
    at: string | undefined,
  ): void {
    const command = block.callId === undefined ? undefined : commands.get(block.callId);
    if (block.callId !== undefined) commands.delete(block.callId);
    if (!block.failed) return;
    const named = command === undefined ? "A tool" : `\`${command.replaceAll("`", "'")}\``;
    const refused = readRefusal(block.text);
    if (refused !== undefined && strand.tip)
      correct(strand, refused === "" ? `${named} was refused by the user.` : refused, at);
    else report(strand, named, block.text, at);
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
      const { entry } = line;
      if (!entry) return;
      const strand = strands.place(entry);
      for (const block of entry.blocks) take(entry, block, strand);
      strands.leave(entry, strand);
    },
    finish: (): ThoughtPlan => ({
      opening,
      thoughts,
      ...strands.counts(),
      observations,
      corrections,
      skipped: skipped.counts(),
      full,
    }),
  };
}

const clean = (text: string): string => cleanText(text.trim(), transcriptLimits.thoughtChars);

/** The name of the step that follows a thought. */
const stepOf = (before: Address | undefined): string => `S${(before?.thoughtNumber ?? 0) + 1}`;
