import { expect, test } from "vitest";
import type { Session } from "../domain/ledger/session.ts";
import type { Thought } from "../domain/ledger/thought.ts";
import { createThoughtIndex } from "../domain/ledger/thought-index.ts";
import type { FeedEntry } from "../ports/feed.ts";
import { toObservatoryEvents } from "./observatory-payloads.ts";

const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const at = "2026-11-15T12:00:00.000Z";
const key = `ghp_${"a1B2c3".repeat(6)}`;

const session: Session = {
  id,
  title: `Key ${key}`,
  tags: ["auth"],
  project: "_default",
  status: "active",
  thoughtCount: 3,
  branchCount: 1,
  createdAt: at,
  updatedAt: at,
  lastAccessedAt: at,
};

const index = createThoughtIndex(id);
index.add({ position: 1, address: { thoughtNumber: 1 } });
index.add({ position: 2, address: { thoughtNumber: 4 } });
index.add({
  position: 3,
  address: { branchId: "proxy", thoughtNumber: 2 },
  fork: { thoughtNumber: 1 },
});

function eventsOf(thought: Partial<Thought>, position = 1) {
  const data: Thought = {
    thought: "why?",
    thoughtNumber: 1,
    totalThoughts: 5,
    nextThoughtNeeded: true,
    timestamp: at,
    cipher: [],
    ...thought,
  };
  const sealed = { sessionId: id, seq: position, position, salt: "", prevHash: "", hash: "", data };
  const entry: FeedEntry = {
    seq: position,
    sessionId: id,
    project: "_default",
    kind: "thought",
    entry: sealed,
  };
  return toObservatoryEvents(entry, { session, index });
}

const shown = { totalThoughts: 5, thought: "why?", nextThoughtNeeded: true, timestamp: at };

test("the first thought has no parent, and shows what the contract names and no more", () => {
  const thought = { id: `${id}:1`, thoughtNumber: 1, ...shown };
  expect(eventsOf({})).toEqual([{ event: "thought:added", data: { thought, parentId: null } }]);
});

test("a parent is the thought before it, also across a gap in the numbers", () => {
  expect(eventsOf({ thoughtNumber: 4 })).toMatchObject([{ data: { parentId: `${id}:1` } }]);
});

test("a correction names the thought that it corrects", () => {
  expect(eventsOf({ thoughtNumber: 4, isRevision: true, revisesThought: 1 })).toMatchObject([
    {
      event: "thought:revised",
      data: { originalThoughtNumber: 1, thought: { isRevision: true, revisesThought: 1 } },
    },
  ]);
});

test("a fork hangs on the thought that it leaves", () => {
  expect(eventsOf({ thoughtNumber: 2, branchId: "proxy", branchFromThought: 1 })).toMatchObject([
    {
      event: "thought:branched",
      data: {
        branchId: "proxy",
        fromThoughtNumber: 1,
        parentId: `${id}:1`,
        thought: { id: `${id}:proxy:2` },
      },
    },
  ]);
});

test("the last thought of the main chain ends the session, the last of a branch does not", () => {
  const end = { event: "session:ended", data: { sessionId: id, finalThoughtCount: 7 } };
  expect(eventsOf({ thoughtNumber: 4, nextThoughtNeeded: false }, 7)).toContainEqual(end);
  expect(eventsOf({ thoughtNumber: 2, branchId: "proxy", nextThoughtNeeded: false }, 7)).toHaveLength(1);
});

test("a session starts once; later changes of it are no start", () => {
  const change = { seq: 1, sessionId: id, project: "_default", kind: "session", at } as const;
  expect(toObservatoryEvents({ ...change, change: "created" }, { session, index })).toEqual([
    {
      event: "session:started",
      data: {
        session: { id, title: "Key [secret:github-token]", tags: ["auth"], createdAt: at, status: "active" },
      },
    },
  ]);
  expect(toObservatoryEvents({ ...change, change: "updated" }, { session, index })).toEqual([]);
});

test("secrets in a thought are masked", () => {
  expect(eventsOf({ thought: key })).toMatchObject([
    { data: { thought: { thought: "[secret:github-token]" } } },
  ]);
});
