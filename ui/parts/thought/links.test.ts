import { expect, test } from "vitest";
import { writeSession } from "../../model/session.testing.ts";
import { linksOf } from "./links.tsx";

/** Records a hypothesis, evidence for it, and a thought which states that this evidence contradicts it. */
function contradicted() {
  const { columns, think } = writeSession();
  think("", "H");
  think("", "E", { links: [{ relation: "supports", thought: 0 }] });
  think("", "C", {
    links: [
      { relation: "rests_on", thought: 1 },
      { relation: "contradicts", thought: 0, from: 1 },
    ],
  });
  return columns;
}

test("evidence that a later thought sets against another is shown as a contradiction, not as support", () => {
  const columns = contradicted();
  expect(linksOf(columns, 0, 2)).toEqual([{ relation: "contradicted by", thought: 1 }]);
  expect(linksOf(columns, 1, 2)).toEqual([
    { relation: "contradicts", thought: 0 },
    { relation: "used by", thought: 2 },
  ]);
});
