import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spawnServer } from "../support/server-process.ts";
import { tempDir } from "../support/temp-dir.ts";

test("a client that does not read stderr still gets answers, and whole events when it reads again", async () => {
  const server = spawnServer(join(tempDir(), "data"), { THOUGHTBOX_EVENT_OUTPUT: "stderr" });
  await server.initialize();
  await server.gateway({ operation: "start_new", args: { title: "Stalled" } });
  await server.gateway({ operation: "cipher", args: {} });
  server.child.stderr.pause();
  const thought = "x".repeat(200);
  const calls = Array.from({ length: 2_000 }, () =>
    server.gateway({ operation: "thought", args: { thought } }),
  );
  const answers = await Promise.all(calls);
  expect(answers.map(({ thoughtNumber }) => thoughtNumber)).toEqual(answers.map((_, index) => index + 1));

  server.child.stderr.resume();
  server.child.stdin.end();
  await once(server.child, "close");
  const events = server
    .stderr()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const added = events.filter(({ type }) => type === "thought_added");
  expect(added.map(({ data }) => data.thoughtNumber)).toEqual(answers.map((_, index) => index + 1));
});
