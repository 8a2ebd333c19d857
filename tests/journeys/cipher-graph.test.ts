import { describe, expect, test } from "vitest";
import { once } from "../support/run/once.ts";
import { fewWays, shareTestApp, startThinking } from "../support/test-app.ts";

const chain = [
  "S1|O|Checkout takes 4 s since the deploy",
  "S2|H|S1|The discount lookup has no index",
  "S3|E|EXPLAIN shows an index scan ⊖ [S2]",
  "S4|X|S2|The lookup is fast, see [S3]",
  "S5|H|S1|Too few connections",
  "S6|E|S5|Pool wait p95 3.7 s",
  "S7|C|S5,S6|Raise the pool to 50",
  "S8|R|^S7|25, the database allows 60 in all",
];

describe.each(fewWays)("a chain in cipher, for a %s client on %s", (era, backend) => {
  const client = shareTestApp({ backend })[era]();
  const sameSession = once(async () => {
    const sessionId = await startThinking(client);
    for (const thought of chain) await client.call("thought", { sessionId, thought });
    const fork = { branchFromThought: 5, branchId: "workers" };
    await client.call("thought", { sessionId, thought: "S6|H|S5|Too many workers", ...fork });
    await client.call("thought", {
      sessionId,
      thought: "S7|X|S6|Their number did not change",
      branchId: "workers",
    });
    return sessionId;
  });

  test("has nodes with types, typed edges and dead ends", async () => {
    const sessionId = await sameSession();
    const { nodes, cipher } = await client.call("get_structure", { sessionId, detail: "nodes" });
    const at = (place: string) => nodes.find(({ id }: any) => id === `${sessionId}:${place}`);
    const links = (place: string) =>
      at(place).edges?.map(({ relation, to }: any) => `${relation} ${to.slice(sessionId.length + 1)}`);
    expect(at("2")).toMatchObject({ type: "H", rejected: true });
    expect(links("2")).toEqual(["rests_on 1"]);
    expect(links("3")).toEqual(["against 2"]);
    expect(links("4")).toEqual(["rejects 2", "rests_on 3"]);
    expect(links("6")).toEqual(["supports 5"]);
    expect(links("8")).toEqual(["revises 7"]);
    expect(links("workers:6")).toEqual(["rests_on 5"]);
    expect(at("workers:6")).toMatchObject({ rejected: true, branchId: "workers" });
    expect(at("4")).not.toHaveProperty("rejected");
    expect(at("1")).not.toHaveProperty("edges");
    expect(cipher).toEqual({
      thoughts: 10,
      types: { H: 3, E: 2, C: 1, R: 1, O: 1, X: 2 },
      edges: { rests_on: 6, supports: 1, against: 1, revises: 1, rejects: 2 },
      rejected: 2,
    });
  });

  test("has one edge for a contradiction that several thoughts state", async () => {
    const sessionId = await startThinking(client);
    for (const thought of [
      "S1|H|The lookup has no index",
      "S2|E|EXPLAIN shows an index scan ⊖ [S1]",
      "S3|E|[S2] ⊖ [S1]",
      "S4|C|[S2] ⊖ [S1], so the index exists",
    ])
      await client.call("thought", { sessionId, thought });
    const { nodes, cipher } = await client.call("get_structure", { sessionId, detail: "nodes" });
    const second = nodes.find(({ id }: any) => id === `${sessionId}:2`);
    expect(second.edges).toEqual([{ relation: "against", to: `${sessionId}:1` }]);
    expect(cipher.edges).toEqual({ rests_on: 1, supports: 1, against: 3 });
    const { content } = await client.call("session.export", { sessionId, format: "markdown" });
    expect(content).toContain("Contradicts thought 1.");
    expect(content).not.toContain("thought 1, thought 1");
  });

  test("warns about every reference to a step that does not exist", async () => {
    const sessionId = await startThinking(client);
    const think = async (thought: string, more = {}): Promise<string[]> =>
      ((await client.call("thought", { sessionId, thought, ...more })).warnings ?? []).map(
        ({ message }: { message: string }) => message.replace(" No link was created for the reference.", ""),
      );
    await think("S1|O|Slow");
    await think("S2|H|S1|The pool");
    await think("S3|E|S2|Full", { branchFromThought: 2, branchId: "pool" });
    await think("S4|E|S3,S1|Full again", { branchId: "pool" });
    expect(await think("S5|C|S1-S4|It is the pool", { branchId: "pool" })).toEqual([]);
    const lost = "Line 1, unknown-step: The main chain has no step";
    expect(await think("S6|C|S5|It is the pool")).toEqual([`${lost} S5.`]);
    expect(await think("S8|C|S2-S6,pool:S5|Raise it")).toEqual([`${lost} S4-S5.`]);
    expect(await think("S9|C|S8,S6|Raise it")).toEqual([]);
    const many = await think("S20|C|S11\nS21|C|S12\nS22|C|S13\nS23|C|S14");
    expect(many).toHaveLength(3);
    expect(many[2]).toContain("Not shown: 5 more doubts.");
  });

  test("does not warn about a step that may be in a thought before the searched ones", async () => {
    const sessionId = await startThinking(client);
    const think = (thought: string) => client.call("thought", { sessionId, thought });
    await think("S500|O|Slow");
    for (let nth = 2; nth < 199; nth += 1) await think(`Thought ${nth}`);
    const [lost] = (await think("S600|C|S499,S500|Known")).warnings;
    expect(lost.message).toContain("The main chain has no step S499.");
    await think("S601|O|Still slow");
    expect(await think("S602|C|S500|Old")).not.toHaveProperty("warnings");
    expect(await think("S603|C|S499|Nobody knows")).not.toHaveProperty("warnings");
  });

  test("checks a limited number of references and chains", async () => {
    const sessionId = await startThinking(client);
    const last = async (thought: string): Promise<string> =>
      (await client.call("thought", { sessionId, thought })).warnings.at(-1).message;
    await client.call("thought", { sessionId, thought: "S1|O|Slow" });
    const nowhere = Array.from({ length: 51 }, () => "nowhere:S1").join(",");
    const lines = Array.from({ length: 20 }, (_, nth) => `S${100 + nth}|C|${nowhere}|Lost`);
    expect(await last([...lines, "S200|C|S50|Lost"].join("\n"))).toContain("Not shown: 17 more doubts.");
    const branches = Array.from({ length: 22 }, (_, nth) => `way${nth}`);
    for (const branchId of branches)
      await client.call("thought", { sessionId, thought: "Try", branchFromThought: 1, branchId });
    const each = branches.map((name, nth) => `S${300 + nth}|C|${name}:S77|Lost`);
    expect(await last(each.join("\n"))).toContain("Not shown: 16 more doubts.");
  });

  test("names steps of other branches, in the structure and in Markdown", async () => {
    const sessionId = await startThinking(client);
    const think = (thought: string, more = {}) => client.call("thought", { sessionId, thought, ...more });
    await think("S1|O|Checkout takes 4 s");
    await think("S2|E|Memory is fine");
    await think("S3|H|The pool is too small");
    await think("S3|H|S1|A leak", { branchFromThought: 2, branchId: "leak" });
    await think("S4|E|[S2] ⊖ [leak:S3]");
    await think("S5|X|leak:S3|No leak, see [S4]");
    const { warnings } = await think("S6|C|nowhere:S1|Done");
    expect(warnings).toEqual([
      {
        code: "CIPHER_DOUBT",
        message:
          "Line 1, unknown-branch: This session has no branch nowhere. No link was created for the reference.",
      },
    ]);
    const lost = (branch: string) => [
      {
        code: "CIPHER_DOUBT",
        message: `Line 1, unknown-step: ${branch} has no step S77. No link was created for the reference.`,
      },
    ];
    expect((await think("S7|E|leak:S77|Lost")).warnings).toEqual(lost("Branch leak"));
    await think("S4|E|S3|A heap dump\nS77|E|S4|Another", { branchId: "leak" });
    expect(await think("S8|E|leak:S77,leak:S1,main:S2|Found")).not.toHaveProperty("warnings");
    const onBranch = await think("S5|E|main:S77|Lost", { branchId: "leak" });
    expect(onBranch.warnings).toEqual(lost("The main chain"));
    const { nodes } = await client.call("get_structure", { sessionId, detail: "nodes" });
    const at = (place: string) => nodes.find(({ id }: any) => id === `${sessionId}:${place}`);
    const links = (place: string) =>
      at(place).edges?.map(({ relation, to }: any) => `${relation} ${to.slice(sessionId.length + 1)}`);
    expect(links("2")).toEqual(["against leak:3"]);
    expect(links("4")).toEqual(["supports 2", "against leak:3"]);
    expect(links("5")).toEqual(["rests_on 4", "rejects leak:3"]);
    expect(at("leak:3")).toMatchObject({ rejected: true });
    expect(at("3")).not.toHaveProperty("rejected");
    const { content } = await client.call("session.export", { sessionId, format: "markdown" });
    expect(content).toContain("Contradicts thought 3 of branch leak.");
  });

  test("marks a thought that is read or found as rejected", async () => {
    const sessionId = await sameSession();
    const rejectedOf = ({ thoughts }: any) =>
      thoughts.flatMap(({ thoughtNumber, rejected }: any) => (rejected ? [thoughtNumber] : []));
    expect(rejectedOf(await client.call("read_thoughts", { sessionId, range: [1, 8] }))).toEqual([2]);
    expect(rejectedOf(await client.call("read_thoughts", { sessionId, branchId: "workers" }))).toEqual([6]);
    const { hits } = await client.call("session.search", { sessionId, query: "discount lookup index" });
    const found = (number: number) => hits.find(({ thought }: any) => thought?.thoughtNumber === number);
    expect(found(2)).toMatchObject({ rejected: true });
    expect(found(3)).not.toHaveProperty("rejected");
  });

  test("is counted by analyze, which treats ^ as a revision", async () => {
    const sessionId = await sameSession();
    const { metadata, structure, cipher } = await client.call("session.analyze", { sessionId });
    expect(metadata.revisionCount).toBe(1);
    expect(structure.revisionRate).toBe(0.1);
    expect(cipher).toMatchObject({ rejected: 2, edges: { rejects: 2, against: 1, revises: 1 } });
  });

  test("has decision points where steps are contradicted, rejected or corrected, and at forks", async () => {
    const sessionId = await sameSession();
    const { decisionPoints } = await client.call("deep_analysis", { sessionId });
    expect(decisionPoints).toEqual([
      { thoughtNumber: 3, type: "contradiction", reference: 2 },
      { thoughtNumber: 4, type: "rejection", reference: 2 },
      { thoughtNumber: 8, type: "revision", reference: 7 },
      { thoughtNumber: 6, branchId: "workers", type: "branch", reference: 5 },
      {
        thoughtNumber: 7,
        branchId: "workers",
        type: "rejection",
        reference: 6,
        referenceBranchId: "workers",
      },
    ]);
  });

  test("is drawn and described in Markdown with its links and dead ends", async () => {
    const sessionId = await sameSession();
    const { content } = await client.call("session.export", { sessionId, format: "markdown" });
    expect(content).toContain("t4 -. rejects .-x t2");
    expect(content).toContain("t3 -. against .-x t2");
    expect(content).toContain("t8 -. revises .-> t7");
    expect(content).toContain("class t2,t9 rejected");
    expect(content).toContain("### 2 · hypothesis · rejected");
    expect(content).toContain("Rests on thought 3. Rejects thought 2.");
    expect(content).toContain("| Thoughts | 10 (1 branch, 1 revision, 2 rejected) |");
  });

  test("marks which of the newest thoughts were rejected when it is resumed", async () => {
    const sessionId = await startThinking(client);
    for (const thought of ["S1|H|the disk", "S2|X|S1|it is idle"])
      await client.call("thought", { sessionId, thought });
    const { lastThoughts } = await client.call("load_context", { sessionId });
    expect(lastThoughts.map(({ rejected }: any) => rejected)).toEqual([true, undefined]);
  });

  test("gets no suggestion to correct a step that it only contradicts", async () => {
    const sessionId = await startThinking(client);
    for (let n = 1; n <= 5; n += 1)
      await client.call("thought", { sessionId, thought: `S${n}|H|guess ${n}` });
    const doubt = await client.call("thought", { sessionId, thought: "S6|E|seen ⊖ [S5]" });
    expect(doubt).toEqual({ sessionId, thoughtNumber: 6 });
  });
});
