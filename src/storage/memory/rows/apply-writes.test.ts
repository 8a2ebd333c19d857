import { expect, test } from "vitest";
import { applyWrites } from "./apply-writes.ts";

test("sends only the last write to each workspace's guard", () => {
  const guard = (wid: number, projectGuard: string) => ({ wid, projectGuard });
  const asked = [...applyWrites({ projectGuard: [guard(1, "shop"), guard(2, "office"), guard(1, "blog")] })];
  const rows = JSON.stringify([
    [1, "blog"],
    [2, "office"],
  ]);
  expect(asked).toMatchObject([{ want: "send", values: [rows] }]);
});
