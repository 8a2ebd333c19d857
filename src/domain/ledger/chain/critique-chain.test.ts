import { expect, test } from "vitest";
import { runAtOnce } from "../../../kernel/steps.ts";
import { type CritiqueChain, findCritiqueFault, sealCritique } from "./critique-chain.ts";
import { genesisHash } from "./hash-chain.ts";

function chainOf(...texts: string[]): CritiqueChain & { entries: any[] } {
  let prevHash = genesisHash;
  const entries = texts.map((text, index) => {
    const sealed = {
      sessionId: "s",
      position: index + 1,
      prevHash,
      salt: `${index}`,
      thoughtHash: "t",
      text,
      model: "m",
      timestamp: "2026",
    };
    prevHash = sealCritique(sealed);
    return { ...sealed, hash: prevHash };
  });
  return { length: entries.length, headHash: prevHash, entries };
}

test("finds no fault in an unchanged or empty chain", () => {
  expect(runAtOnce(findCritiqueFault(chainOf("a", "b")))).toBeUndefined();
  expect(runAtOnce(findCritiqueFault(chainOf()))).toBeUndefined();
});

test.each(["text", "model", "timestamp", "salt", "thoughtHash"])("finds a changed %s", (field) => {
  const chain = chainOf("a", "b", "c");
  chain.entries[1][field] = "other";
  expect(runAtOnce(findCritiqueFault(chain))).toMatch(/Critique 2 was changed/);
});

test("finds a missing critique and a shortened chain", () => {
  const dropped = chainOf("a", "b", "c");
  dropped.entries.splice(1, 1);
  expect(runAtOnce(findCritiqueFault(dropped))).toMatch(/Critique 2 is missing/);
  const cut = chainOf("a", "b");
  cut.entries.pop();
  expect(runAtOnce(findCritiqueFault(cut))).toMatch(/records 2 critiques, but the chain has 1/);
});
