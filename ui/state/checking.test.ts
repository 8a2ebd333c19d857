import { expect, test } from "vitest";
import { checkChain } from "./checking.ts";
import type { Get } from "./http.ts";
import { createSession } from "./session.ts";

/** Opens a session with this many thoughts. Returns the requests sent to the server. */
async function open(thoughts: number, at: number, storage: Map<string, string>, valid = true) {
  const session = createSession("big");
  session.total.value = thoughts;
  session.phase.value = "ready";
  const asked: string[] = [];
  const answers: Promise<unknown>[] = [];
  const get = ((path: string) => {
    asked.push(path);
    const answer = Promise.resolve({ answer: { valid } });
    answers.push(answer);
    return answer;
  }) as unknown as Get;
  const kept = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
  };
  const calls: (() => void)[] = [];
  const after = (_ms: number, call: () => void) => {
    calls.push(call);
    return () => {};
  };
  const stop = checkChain(session, { get, after, now: () => at, storage: kept });
  for (const call of calls) call();
  await Promise.all(answers);
  stop();
  return asked.length;
}

const day = 24 * 60 * 60 * 1_000;

test("checks an intact large session once a day, and a small one at every visit", async () => {
  const storage = new Map<string, string>();
  expect(await open(100, day, storage)).toBe(1);
  expect(await open(100, day + 1, storage)).toBe(1);
  expect(await open(50_000, day + 2, storage)).toBe(1);
  expect(await open(50_000, day + 3, storage)).toBe(0);
  expect(await open(50_000, 2 * day + 3, storage)).toBe(1);
});

test("checks a damaged session at every visit, and any session if the stored results are unreadable", async () => {
  const storage = new Map<string, string>();
  expect(await open(50_000, day, storage, false)).toBe(1);
  expect(await open(50_000, day + 1, storage, false)).toBe(1);
  storage.set("thoughtbox.checked", "{broken");
  expect(await open(50_000, day + 2, storage)).toBe(1);
});
