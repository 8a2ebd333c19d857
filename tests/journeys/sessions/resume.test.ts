import { describe, expect, test } from "vitest";
import { createTestApp, fewWays, lastingWays, shareTestApp } from "../../support/test-app.ts";

const steps = [
  { thought: "S1|O|The checkout test fails once in forty runs" },
  { thought: "S2|H|S1|Two tests share a port" },
  { thought: "S3|E|S2|Fails alone, too ⊖ [S2]" },
  { thought: "S4|H|S1|The clock jumps at midnight", branchFromThought: 1, branchId: "clock" },
  { thought: "S5|X|S4|It fails at noon as well", branchId: "clock" },
  { thought: "S4|H|S1|The pool is closed before the last query" },
  { thought: "S5|C|S4|Await the last query before closing the pool" },
  { thought: "S6|Q|S5|Does the retry in CI hide others of this kind?" },
  { thought: "S7|Q|S5|Is the pool shared?" },
  { thought: "S8|E|S7|No, one a worker" },
];

describe.each(lastingWays)("a week later, a new %s client on %s", (era, backend) => {
  test("is told in one call where the work stood, what was concluded and rejected, and what is open", async () => {
    const before = createTestApp({ backend });
    const first = before[era]();
    const { sessionId } = await first.call("thought", steps[0]);
    for (const step of steps.slice(1)) await first.call("thought", { sessionId, ...step });
    await before.close();

    const client = createTestApp({ backend, dataDir: before.dataDir })[era]();
    const told = await client.call("load_context", { latest: true });
    expect(told).toMatchObject({ sessionId, nextThoughtNumber: 9, branches: [{ branchId: "clock" }] });
    expect(told.lastThoughts.map(({ thoughtNumber }: any) => thoughtNumber)).toEqual([4, 5, 6, 7, 8]);
    expect(told.digest).toEqual({
      conclusions: [{ thoughtNumber: 5, text: "Await the last query before closing the pool" }],
      openQuestions: [{ thoughtNumber: 6, text: "Does the retry in CI hide others of this kind?" }],
      rejected: [
        { thoughtNumber: 2, text: "Two tests share a port", why: "Fails alone, too ⊖ [S2]" },
        {
          thoughtNumber: 2,
          branchId: "clock",
          text: "The clock jumps at midnight",
          why: "It fails at noon as well",
        },
      ],
      branches: [{ thoughtNumber: 3, branchId: "clock", text: "It fails at noon as well", rejected: true }],
    });
    expect(JSON.stringify(told).length).toBeLessThan(3_000);
    expect(await client.call("thought", { sessionId, thought: "on" })).toEqual({
      sessionId,
      thoughtNumber: 9,
    });
  });
});

describe.each(fewWays)("resuming by a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();

  test("the newest five are of any branch, without parse and totals", async () => {
    const { sessionId } = await client.call("start_new");
    for (const thought of ["one", "two"]) await client.call("thought", { sessionId, thought });
    const fork = { branchFromThought: 1, branchId: "alt" };
    for (const thought of ["a", "b", "c", "d"])
      await client.call("thought", { sessionId, thought, ...(thought === "a" ? fork : { branchId: "alt" }) });
    const { lastThoughts } = await client.call("load_context", { sessionId });
    expect(lastThoughts).toEqual([
      { thoughtNumber: 2, thought: "two" },
      { thoughtNumber: 2, thought: "a", branchId: "alt", branchFromThought: 1 },
      { thoughtNumber: 3, thought: "b", branchId: "alt" },
      { thoughtNumber: 4, thought: "c", branchId: "alt" },
      { thoughtNumber: 5, thought: "d", branchId: "alt" },
    ]);
  });

  test("the first eight characters of an id are enough to read and to resume, and for nothing else", async () => {
    const { sessionId } = await client.call("start_new");
    await client.call("thought", { sessionId, thought: "one" });
    const prefix = sessionId.slice(0, 8);
    expect(await client.call("load_context", { sessionId: prefix })).toMatchObject({ sessionId });
    expect(await client.call("read_thoughts", { sessionId: prefix })).toMatchObject({ sessionId, count: 1 });
    for (const [name, args] of [
      ["session.delete", { confirm: true }],
      ["thought", { thought: "x" }],
      ["session.restore", {}],
    ] as const)
      expect(await client.refusal(name, { sessionId: prefix, ...args }), name).toMatchObject({
        code: "SESSION_NOT_FOUND",
      });
    expect(await client.refusal("load_context", { sessionId: sessionId.slice(0, 7) })).toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });
});
