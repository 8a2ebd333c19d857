import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createStreamTarget } from "./stream-target.ts";

test("lines are out when the stream has taken them", async () => {
  const stream = new PassThrough();
  const target = createStreamTarget(stream);
  expect(await target.write(["a\n", "b\n"])).toBe(2);
  stream.end();
  expect(await text(stream)).toBe("a\nb\n");
});

test("a reader who does not read holds the next lines back", async () => {
  let taken = () => {};
  const stream = new Writable({ write: (_chunk, _encoding, done) => (taken = () => done()) });
  const writing = createStreamTarget(stream).write(["a\n"]);
  expect(await Promise.race([writing, Promise.resolve("waits")])).toBe("waits");
  taken();
  expect(await writing).toBe(1);
});

test("a reader who left fails nothing, neither the write under way nor later ones", async () => {
  const stream = new Writable({ write: () => {} });
  const target = createStreamTarget(stream);
  const underWay = target.write(["a\n"]);
  stream.destroy(new Error("EPIPE"));
  expect(await underWay).toBe(1);
  expect(await target.write(["b\n", "c\n"])).toBe(2);
});
