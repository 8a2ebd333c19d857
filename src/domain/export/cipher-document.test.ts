import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { runAtOnce } from "../../kernel/steps.ts";
import { cipherGraphOf } from "../analysis/cipher-graph.ts";
import { exampleThoughts, recorded } from "../analysis/example-session.testing.ts";
import { deriveEdges } from "../cipher/edges.ts";
import { parseCipher } from "../cipher/parse.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { nodeId, readCipher } from "../ledger/thought.ts";
import { cipherParts } from "./cipher-document.ts";
import { numberDocument, readDocument } from "./renumber-step.ts";

const toCipherDocument = (thoughts: readonly ChainedThought[]): string => [...cipherParts(thoughts)].join("");

test("main thoughts keep their numbers, and branch thoughts follow them", () => {
  expect(toCipherDocument(exampleThoughts())).toBe(
    [
      "S1|O|thought 1",
      "S2|O|thought 2",
      "S3|O|thought 3",
      "S4|R|^S2|thought 8",
      "S5|O|S2|(a) thought 4",
      "S6|O|(a) thought 5",
      "S7|O|S5|(b) thought 6",
      "S8|C|S7|(b) b is a dead end",
      "",
    ].join("\n"),
  );
});

test("our own parser reads the document without warnings, even with step-like lines in prose", () => {
  const thoughts = recorded(
    { thought: "Look:\nS7|H|not a step of the document\nend" },
    { thought: "S2|E|S1|seen", cipher: readCipher("S2|E|S1|seen") },
  );
  const parsed = parseCipher(toCipherDocument(thoughts));
  expect(parsed?.warnings).toEqual([]);
  expect(parsed?.steps.map(({ number, type }) => [number, type])).toEqual([
    [1, "O"],
    [2, "E"],
  ]);
});

test("masks secrets", () => {
  const thoughts = recorded({ thought: "the token is ghp_abcdefghijklmnopqrstuvwxyz0123456789" });
  expect(toCipherDocument(thoughts)).toBe("S1|O|the token is [secret:github-token]\n");
});

const written = (...drafts: Partial<Thought>[]) =>
  recorded(
    ...drafts.map((draft) => {
      const cipher = readCipher(draft.thought ?? "");
      return { ...draft, ...(cipher && { cipher }) };
    }),
  );
const linesOf = (...drafts: Partial<Thought>[]) =>
  toCipherDocument(written(...drafts))
    .trim()
    .split("\n");

describe("references are renumbered with their steps", () => {
  test("in a thought with several steps", () => {
    expect(linesOf({ thought: "S1|O|a\nS2|H|S1|b" }, { thought: "S3|E|S2|seen, see [S1-S2]" })).toEqual([
      "S1|O|a",
      "S3|H|S1|b",
      "S2|E|S1,S3|seen, see S1, S3",
    ]);
  });

  test("in a branch, whose numbers apply in the branch and before its fork", () => {
    expect(
      linesOf(
        { thought: "S1|O|a" },
        { thought: "S2|H|S1|b" },
        { thought: "S3|H|main" },
        { thought: "S3|H|S2|branch", thoughtNumber: 3, branchId: "x", branchFromThought: 2 },
        { thought: "S4|X|S3|no, see [S1]", thoughtNumber: 4, branchId: "x" },
      ),
    ).toEqual(["S1|O|a", "S2|H|S1|b", "S3|H|main", "S4|H|S2|(x) branch", "S5|X|S4|(x) no, see [S1]"]);
  });

  test("but still name no step if they named none", () => {
    expect(linesOf({ thought: "S1|C|S2,S9|a" }, { thought: "S2|O|b" })).toEqual(["S1|C|S3,S9|a", "S2|O|b"]);
  });

  test("but brackets in prose become plain text", () => {
    expect(linesOf({ thought: "S1|O|a" }, { thought: "see [S1]" })).toEqual(["S1|O|a", "S2|O|see (S1)"]);
  });

  test("but evidence and rejections get no reference to the fork of their branch", () => {
    expect(
      linesOf(
        { thought: "S1|H|a" },
        { thought: "S2|H|b" },
        { thought: "S3|X|S1|no", thoughtNumber: 3, branchId: "x", branchFromThought: 2 },
      ),
    ).toEqual(["S1|H|a", "S2|H|b", "S3|X|S1|(x from S2) no"]);
  });
});

const linksOf = (thoughts: readonly ChainedThought[]): string[] =>
  cipherGraphOf(thoughts).edges.map(
    ({ from, to, relation }) => `${nodeId("", from)} ${relation} ${nodeId("", to)}`,
  );

/**
 * Drops two kinds of links: those from a branch to its fork, which the document adds, and weaker links from a
 * revision to its original, which the `revises` link replaces.
 */
function saidByNotation(links: readonly string[], thoughts: readonly ChainedThought[]): string[] {
  const added = new Set(
    thoughts.flatMap(({ data }) => {
      const { branchFromThought, branchFromBranch: branchId, revises } = data;
      const own = nodeId("", data);
      const weaker = ["rests_on", "supports", "against", "rejects"];
      return [
        ...(branchFromThought === undefined
          ? []
          : [`${own} rests_on ${nodeId("", { branchId, thoughtNumber: branchFromThought })}`]),
        ...(revises ? weaker.map((relation) => `${own} ${relation} ${nodeId("", revises)}`) : []),
      ];
    }),
  );
  return [...new Set(links)].filter((link) => !added.has(link)).sort();
}

/** Returns the document's links, mapped back to the thoughts that contain the linked steps. */
function readLinks(thoughts: readonly ChainedThought[]): string[] {
  const document = runAtOnce(readDocument(thoughts));
  const numbers = runAtOnce(numberDocument(document));
  const sources = new Map(
    document.flatMap(({ data }) => numbers.of(data).map((number) => [number, nodeId("", data)] as const)),
  );
  const steps = parseCipher(toCipherDocument(thoughts))?.steps ?? [];
  const isEvidence = new Map(steps.map(({ number, type }) => [number, type === "E"]));
  const links = deriveEdges(steps).flatMap(({ from, to, relation }) => {
    const [source, target] = [sources.get(from), sources.get(to)];
    if (source === undefined || target === undefined || source === target) return [];
    const said =
      relation === "contradicts"
        ? "against"
        : relation === "supports"
          ? isEvidence.get(from)
            ? "supports"
            : "rests_on"
          : relation;
    return [`${source} ${said} ${target}`];
  });
  return links;
}

const strengths = ["rests_on", "supports", "rejects", "against", "revises"];

/**
 * If a text names one step in two ways, by its own number and by its thought's number, the document keeps the
 * stronger relation.
 */
function strongestLinks(links: readonly string[]): Map<string, string> {
  const strongest = new Map<string, string>();
  for (const link of links) {
    const [from = "", relation = "", to = ""] = link.split(" ");
    const known = strongest.get(`${from} ${to}`) ?? "";
    if (strengths.indexOf(relation) > strengths.indexOf(known)) strongest.set(`${from} ${to}`, relation);
  }
  return strongest;
}

const number = fc.integer({ min: 1, max: 12 });
const branch = fc.oneof(
  fc.nat(6).map((n) => `b${n}`),
  fc.constant("main"),
);
const reference = fc.oneof(
  number.map((n) => `S${n}`),
  number.map((n) => `^S${n}`),
  fc.tuple(number, number).map(([a, b]) => `S${a}-S${b}`),
  fc.tuple(branch, number, number).map(([name, a, b]) => `${name}:S${a}-S${b}`),
);
const word = fc.oneof(
  fc.constantFrom("text", "⊖", "∴", "|", ","),
  number.map((n) => `[S${n}]`),
  number.map((n) => `^[S${n}]`),
  fc.tuple(number, number).map(([a, b]) => `[S${a}-S${b}]`),
  fc.tuple(branch, number).map(([name, n]) => `[${name}:S${n}]`),
  fc.tuple(branch, number).map(([name, n]) => `^[${name}:S${n}]`),
);
const line = fc
  .tuple(
    number,
    fc.constantFrom(..."HECQRPOAX"),
    fc.array(reference, { maxLength: 3 }),
    fc.array(word, { maxLength: 6 }),
  )
  .map(([n, type, references, words]) => `S${n}|${type}|${references.join(",")}|x ${words.join(" ")}`);
const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .uniqueArray(line, {
        minLength: 1,
        maxLength: 3,
        selector: (written) => written.slice(0, written.indexOf("|")),
      })
      .map((lines) => lines.join("\n")),
  },
  fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => `prose ${words.join(" ")}`),
);

/** A session in which every thought may open or continue a branch, or revise an earlier thought. */
const session = fc
  .array(fc.tuple(text, fc.nat(5), fc.nat(100), fc.boolean()), { minLength: 1, maxLength: 12 })
  .map((entries) => {
    const drafts: (Partial<Thought> & { thoughtNumber: number })[] = [];
    const highest = new Map<string | undefined, number>();
    for (const [thought, choice, pick, revises] of entries) {
      const other = drafts[pick % Math.max(1, drafts.length)];
      const forks = choice === 0 && other !== undefined;
      const branchId = forks ? `b${drafts.length}` : choice === 1 ? other?.branchId : undefined;
      const before = forks ? other.thoughtNumber : (highest.get(branchId) ?? 0);
      const thoughtNumber = before + 1 + (pick % 2);
      highest.set(branchId, thoughtNumber);
      drafts.push({
        thought,
        thoughtNumber,
        ...(branchId !== undefined && { branchId }),
        ...(forks && { branchFromThought: other.thoughtNumber }),
        ...(forks && other.branchId !== undefined && { branchFromBranch: other.branchId }),
        ...(revises &&
          other && {
            isRevision: true as const,
            revisesThought: other.thoughtNumber,
            revises: {
              thoughtNumber: other.thoughtNumber,
              ...(other.branchId !== undefined && { branchId: other.branchId }),
            },
          }),
      });
    }
    return written(...drafts);
  });

test("reading a document back finds the links of its session, whatever was recorded", () => {
  fc.assert(
    fc.property(session, (thoughts) => {
      const [read, said] = [readLinks(thoughts), linksOf(thoughts)].map((links) =>
        saidByNotation(links, thoughts),
      );
      expect(said).toEqual(expect.arrayContaining(read ?? []));
      expect(strongestLinks(read ?? [])).toEqual(strongestLinks(said ?? []));
    }),
    { numRuns: 150 },
  );
});
