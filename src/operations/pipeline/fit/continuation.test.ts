import { expect, test } from "vitest";
import { continuation } from "./fit.ts";

const cut = { answer: { truncated: true, pagination: { next_cursor: 7 } } };

test("the call that goes on after a shortened answer is the same one from the cursor on, without its key", () => {
  const args = { workspace: "acme", branch: "main", doc: undefined, idempotencyKey: "once" };
  expect(continuation("graph_merge", args, cut)).toMatchObject({
    operation: "graph_merge",
    args: { workspace: "acme", branch: "main", cursor: 7 },
  });
  expect(continuation("graph_merge", args, cut)?.args).not.toHaveProperty("idempotencyKey");
});

test("a whole answer needs no other call", () => {
  expect(continuation("show", {}, { answer: { pagination: { next_cursor: 7 } } })).toBeUndefined();
});
