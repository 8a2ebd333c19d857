import { expect, test } from "vitest";
import { continuations } from "./fit.ts";

const show = { name: "show", spellings: { aliases: {}, envelopes: [] } };
const cut = { answer: { truncated: true, pagination: { next_cursor: 7 } } };

test("continues a shortened answer with the same call and a cursor", () => {
  const args = { workspace: "acme", branch: "main", doc: undefined };
  expect(continuations(show, args, cut)).toMatchObject([
    {
      operation: "show",
      args: { workspace: "acme", branch: "main", cursor: 7 },
    },
  ]);
});

test("continues an operation with several lists at the cursor that its alias names", () => {
  const listed = { name: "tasks", spellings: { aliases: { cursor: "tasks_cursor" }, envelopes: [] } };
  expect(continuations(listed, {}, cut)).toMatchObject([{ operation: "tasks", args: { tasks_cursor: 7 } }]);
});

test("suggests no call after a complete answer", () => {
  expect(continuations(show, {}, { answer: { pagination: { next_cursor: 7 } } })).toEqual([]);
});
