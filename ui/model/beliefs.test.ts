import { describe, expect, test } from "vitest";
import { createBeliefs, NOW, STATE } from "./beliefs.ts";
import { NONE } from "./columns.ts";
import { sampleSession, writeSession } from "./session.testing.ts";
import { neighbouringConclusion, storyAt } from "./story.ts";
import { typeCode } from "./thought-types.ts";

describe("beliefs", () => {
  test("mark dead ends, replaced and rejected thoughts", () => {
    const { columns } = sampleSession();
    const { state } = createBeliefs(columns);
    const { believed, replaced, rejected, deadEnd } = STATE;
    expect([...state.slice(0, columns.size)]).toEqual([
      believed,
      rejected,
      replaced,
      deadEnd,
      deadEnd,
      believed,
      believed,
      believed,
      believed,
      believed,
      believed,
    ]);
  });

  test("at an earlier moment do not show what came later", () => {
    const { columns } = sampleSession();
    const beliefs = createBeliefs(columns);
    beliefs.at(3);
    expect([...beliefs.state.slice(0, 6)]).toEqual([0, 0, 0, 0, STATE.later, STATE.later]);
    expect(beliefs.deadChain[1]).toBe(0);
    beliefs.at(4);
    expect(beliefs.state[1]).toBe(STATE.rejected);
    expect(beliefs.deadChain[1]).toBe(1);
  });

  test("at every moment equal those of a session that ends there", () => {
    const { columns } = sampleSession();
    const whole = createBeliefs(columns);
    for (let moment = 0; moment < columns.size; moment++) {
      const shorter = writeSession();
      for (let i = 0; i <= moment; i++) {
        const chain = columns.chains[columns.chain[i] ?? 0];
        shorter.think(chain?.id ?? "", "OEQHACPRXN"[columns.type[i] ?? 0] ?? "", {
          fork: chain?.fork ?? NONE,
          revises: columns.revises[i] ?? NONE,
          links: columns.links.from(i),
        });
      }
      whole.at(moment);
      const then = createBeliefs(shorter.columns);
      expect(whole.state.slice(0, moment + 1)).toEqual(then.state.slice(0, moment + 1));
    }
  });

  test("follow a session that grows", () => {
    const { columns, think } = sampleSession();
    const beliefs = createBeliefs(columns);
    think("b", "X");
    beliefs.at(NOW);
    expect(beliefs.state[7]).toBe(STATE.deadEnd);
  });
});

describe("the story of a session", () => {
  test("begins with the first thought and names the newest conclusion, main line first", () => {
    const { columns, think } = sampleSession();
    const beliefs = createBeliefs(columns);
    expect(storyAt(columns, beliefs)).toMatchObject({
      began: 0,
      stands: 8,
      thoughts: 11,
      branches: 3,
      revised: 1,
      deadEnds: 1,
    });
    const settled = think("", "C");
    think("b", "C");
    beliefs.at(NOW);
    expect(storyAt(columns, beliefs).stands).toBe(settled);
  });

  test("leaves out a contradicted conclusion, except before it was contradicted", () => {
    const { columns, think } = writeSession();
    const first = think("", "C");
    const second = think("", "C");
    think("", "E", { links: [{ relation: "contradicts", thought: second }] });
    const beliefs = createBeliefs(columns);
    expect(storyAt(columns, beliefs).stands).toBe(first);
    beliefs.at(1);
    expect(storyAt(columns, beliefs).stands).toBe(second);
  });

  test("counts each rejected thought once, and also a rejection that names nothing", () => {
    const { columns, think } = writeSession();
    think("", "O");
    const idea = think("", "H");
    think("", "X", { links: [{ relation: "rejects", thought: idea }] });
    think("", "X", { links: [{ relation: "rejects", thought: idea }] });
    const beliefs = createBeliefs(columns);
    expect(storyAt(columns, beliefs).deadEnds).toBe(1);
    think("", "X");
    beliefs.at(NOW);
    expect(storyAt(columns, beliefs).deadEnds).toBe(2);
    beliefs.at(1);
    expect(storyAt(columns, beliefs).deadEnds).toBe(0);
  });

  test("at an earlier moment counts only what existed then", () => {
    const { columns } = sampleSession();
    const beliefs = createBeliefs(columns);
    beliefs.at(3);
    const story = storyAt(columns, beliefs);
    expect(story).toMatchObject({ stands: 2, thoughts: 4, branches: 1, revised: 0, deadEnds: 0 });
    expect(story.ofType[typeCode("E")]).toBe(1);
  });

  test("is empty for an empty session", () => {
    const { columns } = writeSession();
    expect(storyAt(columns, createBeliefs(columns))).toMatchObject({
      began: NONE,
      stands: NONE,
      thoughts: 0,
    });
  });

  test("finds the neighbouring conclusions in both directions, up to the moment", () => {
    const { columns } = sampleSession();
    expect(neighbouringConclusion(columns, 0, 1, NOW)).toBe(2);
    expect(neighbouringConclusion(columns, 2, 1, NOW)).toBe(8);
    expect(neighbouringConclusion(columns, 2, 1, 7)).toBe(NONE);
    expect(neighbouringConclusion(columns, 8, -1, NOW)).toBe(2);
  });
});
