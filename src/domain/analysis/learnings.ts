import * as z from "zod";
import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import type { Steps } from "../../kernel/steps.ts";
import { clip } from "../../kernel/text.ts";
import { slugify } from "../knowledge/note.ts";
import { closingsIn } from "../ledger/branch-closing.ts";
import type { Session } from "../ledger/session.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { type Address, describeAddress } from "../ledger/thought.ts";
import { isDeadEnd } from "./cipher-graph.ts";
import type { SessionAnalysis } from "./session-analysis.ts";
import { branchesOf, mainChainOf, type SessionShape } from "./session-shape.ts";

export const learningTypes = ["pattern", "anti-pattern", "signal"] as const;
const score = z.int().min(1).max(10);

export const learningSchema = z.strictObject({
  type: z.enum(learningTypes),
  content: z.string(),
  targetPath: z.string(),
  metadata: z.strictObject({
    sourceSession: z.string(),
    sourceThoughts: z.array(z.int()),
    /** The branch that `sourceThoughts` refer to. Omitted for the main chain. */
    sourceBranchId: z.string().optional(),
    extractedAt: z.string(),
    behaviorCharacteristics: z
      .strictObject({ specificity: score, applicability: score, complexity: score, maturity: score })
      .optional(),
  }),
});
export type Learning = z.infer<typeof learningSchema>;

export type KeyMoment = {
  thoughtNumber: number;
  branchId?: string | undefined;
  type: "insight" | "decision" | "pivot" | "revision";
  significance: number;
  summary?: string | undefined;
};

/** A learning before it is stored: what was learned, and from which thoughts. */
type Finding = {
  type: "pattern" | "anti-pattern";
  /**
   * Builds the title, only for learnings that are stored. Building all titles would be slow, because
   * thousands of thoughts may correct one long thought.
   */
  title(): string;
  lines(): string[];
  thoughts: number[];
  branchId?: string | undefined;
  /**
   * The thoughts that the learning is about. The number of references to these thoughts determines the
   * learning's weight.
   */
  about: readonly Address[];
  significance: number;
  /** How useful the caller expects the learning to be in other sessions. */
  applicability?: number;
};

const maxFindings = 50;

export type Extraction = {
  learnings: Learning[];
  /** The number of findings omitted because of their low weight. */
  leftOut: number;
};

/** Uses the moments that the caller named or, if there are none, corrections, branches and conclusions. */
export function* extractLearnings(
  session: Session,
  shape: SessionShape,
  analysis: SessionAnalysis,
  moments: readonly KeyMoment[],
  wanted: readonly Learning["type"][],
  extractedAt: string,
): Steps<Extraction> {
  const found = moments.length > 0 ? yield* fromMoments(shape, moments) : yield* fromSession(shape);
  const findings = found
    .filter(({ type }) => wanted.includes(type))
    .sort((a, b) => b.significance - a.significance);
  const filed: Learning[] = [];
  for (const finding of findings.slice(0, maxFindings)) {
    filed.push(file(session, finding, shape, extractedAt));
    yield;
  }
  const signals = wanted.includes("signal") ? [signalOf(session, shape, analysis, moments, extractedAt)] : [];
  return { learnings: [...filed, ...signals], leftOut: Math.max(0, findings.length - maxFindings) };
}

/** Returns the first moment whose thought does not exist. */
export function* findGhost(
  { thoughts }: SessionShape,
  moments: readonly KeyMoment[],
): Steps<KeyMoment | undefined> {
  if (moments.length === 0) return undefined;
  const known = yield* byPlaceOf(thoughts);
  return moments.find((moment) => !known.has(describeAddress(moment)));
}

function* byPlaceOf(thoughts: readonly ChainedThought[]): Steps<Map<string, ChainedThought>> {
  const places = new Map<string, ChainedThought>();
  for (const entry of thoughts) {
    places.set(describeAddress(entry.data), entry);
    yield;
  }
  return places;
}

function* fromMoments(shape: SessionShape, moments: readonly KeyMoment[]): Steps<Finding[]> {
  const byPlace = yield* byPlaceOf(shape.thoughts);
  return moments.flatMap(({ thoughtNumber, branchId, type, significance, summary }) => {
    const entry = byPlace.get(describeAddress({ branchId, thoughtNumber }));
    if (!entry) return [];
    const learned = holds(shape, entry) ? ("pattern" as const) : ("anti-pattern" as const);
    return [
      {
        type: learned,
        title: () => (summary === undefined ? firstLine(entry) : maskForExport(summary)),
        lines: () => [
          `${type === "insight" ? "An" : "A"} ${type} at ${describeAddress({ branchId, thoughtNumber })}:`,
          "",
          quote(entry),
        ],
        thoughts: [thoughtNumber],
        branchId,
        about: [entry.data],
        significance,
        applicability: significance,
      },
    ];
  });
}

/** True if no later thought revised, rejected or contradicted this one. */
const holds = ({ graph }: SessionShape, { data }: ChainedThought): boolean =>
  graph.standingOf(data) === "stands";

/** True for a conclusion, and for plain text after which no further thought is needed. */
const isSettled = ({ data }: ChainedThought): boolean =>
  data.cipher ? data.cipher.some(({ type }) => type === "C") : !data.nextThoughtNeeded;

/**
 * True for a plan or a question. Revising a plan or a question only changes direction, but rejecting it means
 * that it was wrong.
 */
const isIntention = ({ data }: ChainedThought): boolean =>
  data.cipher?.every(({ type }) => type === "P" || type === "Q") ?? false;

function* fromSession(shape: SessionShape): Steps<Finding[]> {
  const byPlace = yield* byPlaceOf(shape.thoughts);
  const corrections: Finding[] = [];
  const givenUp = new Set<string>();
  const givesUp = new Set<string>();
  for (const { from, to, relation } of shape.graph.edges) {
    yield;
    if (relation !== "revises" && relation !== "rejects") continue;
    const [entry, original] = [byPlace.get(describeAddress(from)), byPlace.get(describeAddress(to))];
    if (!entry || !original || (relation === "revises" && isIntention(original))) continue;
    givesUp.add(describeAddress(from));
    if (givenUp.has(describeAddress(to))) continue;
    givenUp.add(describeAddress(to));
    const then = relation === "revises" ? "What replaced it:" : "Why it was rejected:";
    const { branchId } = entry.data;
    const same = original.data.branchId === branchId;
    corrections.push({
      type: "anti-pattern",
      title: () => firstLine(original),
      lines: () => ["This turned out wrong:", "", quote(original), "", then, "", quote(entry)],
      thoughts: [...(same ? [original.data.thoughtNumber] : []), entry.data.thoughtNumber],
      branchId,
      about: [original.data],
      significance: 6,
    });
  }
  const isToldBy = (address: Address): boolean =>
    givesUp.has(describeAddress(address)) || givenUp.has(describeAddress(address));
  const closings = closingsIn(shape.thoughts);
  const newest = new Map(shape.thoughts.map((entry) => [entry.data.branchId, entry]));
  const explorations = branchesOf(shape).flatMap((branch): Finding[] => {
    const outcome = newest.get(branch.branchId);
    if (!outcome || !branch.fork) return [];
    const isAbandoned = closings.get(branch.branchId ?? "")?.outcome === "abandoned";
    const rejected = isAbandoned || isDeadEnd(shape.graph, outcome.data);
    // Skips a rejected branch that a correction already reports, and any other branch without a valid result.
    const hasEnded = isSettled(outcome) || (!outcome.data.cipher && closings.has(branch.branchId ?? ""));
    if (rejected ? isToldBy(outcome.data) : !hasEnded || !holds(shape, outcome)) return [];
    const from = describeAddress(branch.fork);
    return [
      {
        type: rejected ? "anti-pattern" : "pattern",
        title: () => `${branch.branchId}: ${firstLine(outcome)}`,
        lines: () => [
          `Branch ${branch.branchId}, from ${from}, ${rejected ? "was abandoned" : "ended with"}:`,
          "",
          quote(outcome),
        ],
        thoughts: branch.numbers,
        branchId: branch.branchId,
        about: [outcome.data],
        significance: 5,
      },
    ];
  });
  const conclusions = mainChainOf(shape)
    .filter((entry) => isSettled(entry) && holds(shape, entry))
    .map(
      (entry): Finding => ({
        type: "pattern",
        title: () => firstLine(entry),
        lines: () => ["Concluded:", "", quote(entry)],
        thoughts: [entry.data.thoughtNumber],
        about: [entry.data],
        significance: 8,
      }),
    );
  return [...corrections, ...explorations, ...conclusions];
}

function file(
  session: Session,
  { type, thoughts, branchId, about, applicability, ...says }: Finding,
  { graph }: SessionShape,
  extractedAt: string,
): Learning {
  const [title, lines] = [says.title(), says.lines()];
  const said = about.flatMap((address) => graph.edgesTo(address));
  const leans = said.filter(({ relation }) => relation === "rests_on").length;
  const weighed = said.length - leans;
  const folder = type === "pattern" ? "patterns" : "anti-patterns";
  return {
    type,
    content: [`# ${title}`, "", ...lines, "", `From “${maskForExport(session.title)}”.`, ""].join("\n"),
    targetPath: `${folder}/${slugify(title)}.md`,
    metadata: {
      sourceSession: session.id,
      sourceThoughts: thoughts.slice(0, 200),
      ...(branchId !== undefined && { sourceBranchId: branchId }),
      extractedAt,
      behaviorCharacteristics: {
        specificity: scoreOf(concreteWords(lines)),
        applicability: applicability ?? scoreOf(leans),
        complexity: scoreOf(thoughts.length + Math.floor(lines.join("").length / 400) - 1),
        maturity: scoreOf(weighed),
      },
    },
  };
}

const scoreOf = (count: number): number => Math.min(10, 1 + Math.max(0, count));

/** Counts specific words: figures, names with a dot or slash, and code. */
const concreteWords = (lines: readonly string[]): number =>
  new Set(
    lines
      .join(" ")
      .replace(/\bS\d+\b/g, "")
      .match(/`[^`]{1,80}`|[\w-]*\d[\w.-]*|[\w-]+[./][\w./-]+|[a-z]+[A-Z]\w+/g),
  ).size;

function signalOf(
  session: Session,
  shape: SessionShape,
  analysis: SessionAnalysis,
  moments: readonly KeyMoment[],
  extractedAt: string,
): Learning {
  const { structure, quality, completion } = analysis;
  const content = {
    session: maskForExport(session.title),
    tags: session.tags.map((tag) => maskForExport(tag)),
    structure,
    quality,
    completion,
    keyMoments: maskForExport(moments),
  };
  return {
    type: "signal",
    content: JSON.stringify(content),
    targetPath: `signals/${slugify(session.title)}.json`,
    metadata: {
      sourceSession: session.id,
      sourceThoughts: mainChainOf(shape)
        .slice(-200)
        .map(({ data }) => data.thoughtNumber),
      extractedAt,
    },
  };
}

const firstLine = ({ data }: ChainedThought): string =>
  clip(
    maskBeginning(data.thought)
      .replace(/^S?\d+\|[A-Z]\|([^|]*\|)?/, "")
      .split("\n")[0]
      ?.trim() || "Untitled",
    80,
  );

const quote = ({ data }: ChainedThought): string =>
  clip(maskBeginning(data.thought), 2_000)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

/** How many characters to mask. More than are displayed, so that no truncated secret is displayed. */
const maskedLength = 16_000;

const maskBeginning = (text: string): string => maskForExport(clip(text, maskedLength));
