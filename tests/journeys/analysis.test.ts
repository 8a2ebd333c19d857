import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { refusalWithCure } from "../support/replies/execute-recovery.ts";
import { once } from "../support/run/once.ts";
import {
  backends,
  createTestApp,
  fewWays,
  shareTestApp,
  startThinking,
  type TestClient,
} from "../support/test-app.ts";

const nobody = "00000000-0000-4000-8000-000000000000";

/** The worked example in the analysis guide: minute, length, and place of each thought. */
const example: [number, number, Record<string, unknown>][] = [
  [0, 40, {}],
  [1, 60, {}],
  [3, 80, {}],
  [4, 70, { branchFromThought: 3, branchId: "a" }],
  [6, 50, { branchFromThought: 3, branchId: "b" }],
  [9, 90, { branchId: "a" }],
  [12, 30, { branchFromThought: 4, branchFromBranch: "b", branchId: "b-lite" }],
  [15, 110, { revisesThought: 2 }],
  [18, 70, {}],
  [20, 40, { totalThoughts: 8, nextThoughtNeeded: false }],
];

async function recordExample(client: TestClient, at: (minute: number) => void = () => {}): Promise<string> {
  const sessionId = await startThinking(client, { sessionTitle: "Which queue?", tags: ["queue"] });
  for (const [minute, length, place] of example) {
    at(minute);
    await client.call("thought", { sessionId, thought: "x".repeat(length), ...place });
  }
  return sessionId;
}

const decisionPoints = [
  { thoughtNumber: 4, branchId: "a", type: "branch", reference: 3 },
  { thoughtNumber: 4, branchId: "b", type: "branch", reference: 3 },
  { thoughtNumber: 5, branchId: "b-lite", type: "branch", reference: 4, referenceBranchId: "b" },
  { thoughtNumber: 4, type: "revision", reference: 2 },
];
const patterns = { totalThoughts: 10, revisionCount: 1, branchCount: 3, averageThoughtLength: 64 };
const cognitiveLoad = { complexityScore: 68, depthIndicator: 6, breadthIndicator: 3 };

describe.each(backends)("the worked example in the guide, replayed minute by minute on %s", (backend) => {
  async function recorded() {
    let now = new Date(Date.UTC(2026, 0, 1, 9));
    const client = createTestApp({ backend, clock: () => now }).modern();
    const sessionId = await recordExample(client, (minute) => {
      now = new Date(Date.UTC(2026, 0, 1, 9, minute));
    });
    return { client, sessionId };
  }

  test("gives the figures of analyze that the guide computes by hand", async () => {
    const { client, sessionId } = await recorded();
    const { next: _next, ...analysis } = await client.call("session.analyze", { sessionId });
    expect(analysis).toEqual({
      sessionId,
      metadata: {
        title: "Which queue?",
        tags: ["queue"],
        thoughtCount: 10,
        branchCount: 3,
        revisionCount: 1,
        duration: 1_200_000,
        createdAt: "2026-01-01T09:00:00.000Z",
        lastUpdatedAt: "2026-01-01T09:20:00.000Z",
      },
      structure: { linearityScore: 0.7, revisionRate: 0.1, maxDepth: 3, thoughtDensity: 0.5 },
      quality: { critiqueRequests: 0, hasConvergence: true, isComplete: true },
      linearity: 0.7,
      density: 0.5,
      completion: 0.75,
      branchCount: 3,
    });
  });

  test("gives the figures of deep_analysis that the guide computes by hand", async () => {
    const { client, sessionId } = await recorded();
    const { next: _next, ...analysis } = await client.call("deep_analysis", { sessionId });
    expect(analysis).toEqual({
      sessionId,
      analysisType: "full",
      timestamp: "2026-01-01T09:20:00.000Z",
      patterns,
      cognitiveLoad,
      decisionPoints,
      decisionPointCount: 4,
      timeline: {
        createdAt: "2026-01-01T09:00:00.000Z",
        updatedAt: "2026-01-01T09:20:00.000Z",
        durationEstimate: "20 min",
        durationMs: 1_200_000,
      },
    });
  });
});

test("the guide shows the same figures", () => {
  const guide = readFileSync(
    join(import.meta.dirname, "..", "..", "content", "guides", "session-analysis-guide.md"),
    "utf8",
  );
  const [, worked = ""] = guide.split("## Worked example");
  const bold = [...worked.matchAll(/\*\*([^*]+)\*\*/g)].map(([, figure]) => figure);
  expect(bold).toEqual(["0.7", "0.1", "3", "0.5", "true", "true", "0.75", "64", "68", "6", "3"]);
  for (const [minute, length] of example)
    expect(worked).toMatch(new RegExp(`\\| 09:${String(minute).padStart(2, "0")} \\|[^|]+\\| ${length} \\|`));
});

describe.each(fewWays)("deep_analysis for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const sameSession = once(() => recordExample(client));

  test.each([
    ["patterns", { patterns }],
    ["cognitive_load", { cognitiveLoad }],
    ["decision_points", { decisionPoints, decisionPointCount: 4 }],
    ["full", { patterns, cognitiveLoad, decisionPoints, decisionPointCount: 4 }],
  ])("analysisType %s returns its own parts and nothing else", async (analysisType, part) => {
    const sessionId = await sameSession();
    const options = { includeTimeline: false };
    const { next: _next, ...told } = await client.call("deep_analysis", { sessionId, analysisType, options });
    expect(told).toEqual({ sessionId, analysisType, timestamp: expect.any(String), ...part });
  });

  test("computes the duration from the timestamps of the thoughts", async () => {
    const sessionId = await sameSession();
    const { timeline } = await client.call("deep_analysis", { sessionId });
    const { thoughts } = await client.call("read_thoughts", { sessionId, last: 20, verbose: true });
    const times = thoughts.map(({ timestamp }: any) => Date.parse(timestamp));
    expect(timeline.durationMs).toBe(Math.max(...times) - Math.min(...times));
    expect(timeline.durationEstimate).toMatch(/^\d+ (s|min)/);
  });

  test("compares with other sessions and reports the difference of each figure", async () => {
    const sessionId = await sameSession();
    const other = await startThinking(client, { sessionTitle: "Short" });
    await client.call("thought", { sessionId: other, thought: "y".repeat(10) });
    await client.call("thought", { sessionId: other, thought: "y".repeat(20), revisesThought: 1 });
    const { comparisons } = await client.call("deep_analysis", {
      sessionId,
      options: { compareWith: [other.slice(0, 8), sessionId] },
    });
    // Two thoughts and a revision: 2·2 + 8·1 = 12, one path of length two, one chain.
    expect(comparisons).toEqual([
      {
        sessionId: other,
        title: "Short",
        figures: {
          ...{ totalThoughts: 2, revisionCount: 1, branchCount: 0, averageThoughtLength: 15 },
          ...{ complexityScore: 12, depthIndicator: 2, breadthIndicator: 1 },
        },
        differences: {
          ...{ totalThoughts: -8, revisionCount: 0, branchCount: -3, averageThoughtLength: -49 },
          ...{ complexityScore: -56, depthIndicator: -4, breadthIndicator: -2 },
        },
      },
      {
        sessionId,
        title: "Which queue?",
        figures: { ...patterns, ...cognitiveLoad },
        differences: Object.fromEntries(
          Object.keys({ ...patterns, ...cognitiveLoad }).map((key) => [key, 0]),
        ),
      },
    ]);
  });

  test("refuses an unknown analysis type or session, and names a way out", async () => {
    const sessionId = await sameSession();
    expect(await client.refusal("deep_analysis", { sessionId, analysisType: "mood" })).toMatchObject({
      code: "INVALID_PAYLOAD",
      message: expect.stringContaining("decision_points"),
    });
    for (const args of [{ sessionId: nobody }, { sessionId, options: { compareWith: [nobody] } }]) {
      const error = await refusalWithCure(client, "deep_analysis", args);
      expect(error).toMatchObject({ code: "SESSION_NOT_FOUND", recovery: { operation: "list_sessions" } });
    }
  });
});

describe.each(fewWays)("learnings for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  async function concluded(title: string): Promise<string> {
    const sessionId = await startThinking(client, { sessionTitle: title, project: title });
    const think = (args: object) => client.call("thought", { sessionId, ...args });
    await think({ thought: "It is the database." });
    await think({ thought: "It is the cache.", revisesThought: 1 });
    await think({ thought: "Warm it.", branchFromThought: 2, branchId: "open" });
    await think({
      ...{ thought: "Warm the cache.", branchFromThought: 2, branchId: "warm" },
      nextThoughtNeeded: false,
    });
    await think({ thought: "Check the pool", nextThoughtNeeded: false });
    return sessionId;
  }
  const all = { targetTypes: ["pattern", "anti-pattern", "signal"] };

  test("come from the session itself if the caller names no key moments", async () => {
    const sessionId = await concluded("itself");
    const { learnings, count, saved } = await client.call("session.extract_learnings", { sessionId, ...all });
    expect(learnings.map(({ type, targetPath }: any) => [type, targetPath])).toEqual([
      ["pattern", "patterns/check-the-pool.md"],
      ["anti-pattern", "anti-patterns/it-is-the-database.md"],
      ["pattern", "patterns/warm-warm-the-cache.md"],
      ["signal", "signals/itself.json"],
    ]);
    expect({ count, saved }).toEqual({ count: 4, saved: undefined });
    const signal = await client.call("session.extract_learnings", { sessionId });
    expect(signal.learnings.map(({ type }: any) => type)).toEqual(["signal"]);
  });

  test("come from the key moments that the caller names", async () => {
    const sessionId = await concluded("moments");
    const keyMoments = [
      { thoughtNumber: 2, type: "insight", significance: 9, summary: "Look at the cache first" },
      { thoughtNumber: 1, type: "pivot" },
    ];
    const { learnings } = await client.call("session.extract_learnings", { sessionId, ...all, keyMoments });
    expect(learnings.map(({ type, targetPath }: any) => [type, targetPath])).toEqual([
      ["pattern", "patterns/look-at-the-cache-first.md"],
      ["anti-pattern", "anti-patterns/it-is-the-database.md"],
      ["signal", "signals/moments.json"],
    ]);
    expect(learnings[0].metadata).toMatchObject({
      sourceSession: sessionId,
      sourceThoughts: [2],
      behaviorCharacteristics: { applicability: 9 },
    });
  });

  test("are stored only once in the knowledge zone and never overwrite another author's pattern", async () => {
    const sessionId = await concluded("kept");
    const own = { title: "Check the pool", description: "Mine.", content: "By hand." };
    await client.call("knowledge.create_pattern", { sessionId, ...own });
    const save = async () =>
      (await client.call("session.extract_learnings", { sessionId, ...all, save: true })).saved;
    const saved = ["check-the-pool-2", "it-is-the-database", "warm-warm-the-cache"];
    expect(await save()).toEqual(saved);
    expect(await save()).toEqual(saved);
    const { patterns: notes, total } = await client.call("knowledge.list_patterns", { sessionId });
    expect(total).toBe(4);
    const mine = notes.find(({ id }: any) => id === "check-the-pool");
    expect(mine).toMatchObject({ content: "By hand.", derivedFromSessions: [] });
    const { pattern } = await client.call("knowledge.get_pattern", { sessionId, id: "it-is-the-database" });
    expect(pattern).toMatchObject({ tags: ["anti-pattern"], derivedFromSessions: [sessionId] });
    expect(pattern.content).toContain("> It is the cache.");
  });

  test("are all kept even if their texts are identical", async () => {
    const sessionId = await startThinking(client, { project: "alike" });
    for (const branchFromThought of [1, 2]) {
      await client.call("thought", { sessionId, thought: "Try again." });
      await client.call("thought", {
        ...{ sessionId, thought: "No.", branchFromThought },
        nextThoughtNeeded: false,
      });
    }
    await client.call("thought", { sessionId, thought: "No.", revisesThought: 1 });
    await client.call("thought", { sessionId, thought: "No.", revisesThought: 2 });
    const { saved } = await client.call("session.extract_learnings", { sessionId, ...all, save: true });
    expect(saved).toHaveLength(4);
    expect((await client.call("knowledge.list_patterns", { sessionId })).total).toBe(4);
  });
});
