import { expect, test } from "vitest";
import type { LedgerEvent, ThoughtboxEvent } from "../ports/events.ts";
import { createEventBus, createThoughtLog } from "./event-bus.ts";
import { startedEvent, thoughtEvent } from "./test-support/sample-events.ts";

const noReport = (thrown: unknown) => expect.unreachable(String(thrown));
/** Waits longer than the pause after which events are delivered. */
const aPause = () => new Promise((resolve) => setTimeout(resolve, 20));
const nextTurn = () => new Promise(setImmediate);

test("publish returns before listeners are called, and listeners receive events in order", async () => {
  const bus = createEventBus(noReport);
  const heard: ThoughtboxEvent[] = [];
  bus.subscribe((event) => heard.push(event));
  bus.publish(thoughtEvent(1));
  bus.publish(thoughtEvent(2));
  expect(heard).toEqual([]);
  await aPause();
  expect(heard).toEqual([thoughtEvent(1), thoughtEvent(2)]);
});

test("an immediate next call does not wait for listeners", async () => {
  const bus = createEventBus(noReport);
  const heard: ThoughtboxEvent[] = [];
  bus.subscribe((event) => heard.push(event));
  bus.publish(thoughtEvent(1));
  await nextTurn();
  expect(heard).toEqual([]);
  bus.flush();
  expect(heard).toEqual([thoughtEvent(1)]);
});

test("listeners are called during a stream of events without pauses", async () => {
  const bus = createEventBus(noReport);
  let heard = 0;
  bus.subscribe(() => {
    heard += 1;
  });
  const deadline = performance.now() + 5_000;
  while (heard === 0 && performance.now() < deadline) {
    bus.publish(thoughtEvent());
    await nextTurn();
  }
  expect(heard).toBeGreaterThan(0);
});

test("a listener that throws is reported, and the other listeners still receive events", () => {
  const reported: unknown[] = [];
  const heard: string[] = [];
  const bus = createEventBus((thrown) => reported.push(thrown));
  const trouble = new Error("no");
  bus.subscribe(() => {
    throw trouble;
  });
  bus.subscribe(({ type }) => heard.push(type));
  bus.publish(startedEvent());
  bus.publish(thoughtEvent());
  bus.flush();
  expect(heard).toEqual(["session_started", "thought_added"]);
  expect(reported).toEqual([trouble, trouble]);
});

test("a listener receives only the types that it subscribed to", () => {
  const bus = createEventBus(noReport);
  const heard: string[] = [];
  bus.subscribe(({ type }) => heard.push(type), ["session_started"]);
  bus.publish(thoughtEvent());
  bus.publish(startedEvent());
  bus.flush();
  expect(heard).toEqual(["session_started"]);
  expect(() => bus.subscribe(() => {}, ["session_start"])).toThrow("unknown_event_type");
});

test("a listener that unsubscribes receives earlier events, and none after that", () => {
  const bus = createEventBus(noReport);
  const heard: ThoughtboxEvent[] = [];
  const stop = bus.subscribe((event) => heard.push(event));
  bus.publish(thoughtEvent(1));
  stop();
  bus.publish(thoughtEvent(2));
  bus.flush();
  expect(heard).toEqual([thoughtEvent(1)]);
});

test("an event that a listener publishes is delivered after those already published", async () => {
  const bus = createEventBus(noReport);
  const heard: string[] = [];
  bus.subscribe(({ type }) => {
    heard.push(type);
    if (type === "session_started") bus.publish(thoughtEvent());
  });
  bus.publish(startedEvent());
  bus.publish(startedEvent());
  await aPause();
  await aPause();
  expect(heard).toEqual(["session_started", "session_started", "thought_added", "thought_added"]);
});

test("a listener receives no events from before it subscribed", () => {
  const bus = createEventBus(noReport);
  const heard: string[] = [];
  bus.subscribe(({ type }) => heard.push(`first: ${type}`));
  bus.publish(startedEvent());
  bus.subscribe(({ type }) => heard.push(`second: ${type}`));
  bus.publish(thoughtEvent());
  bus.flush();
  expect(heard).toEqual(["first: session_started", "first: thought_added", "second: thought_added"]);
});

test("an event that cannot be delivered and a report that throws do not affect other events", () => {
  let deep: unknown = "the end";
  for (let level = 0; level < 20_000; level += 1) deep = [deep];
  const bus = createEventBus(() => {
    throw new Error("nobody to tell");
  });
  const heard: string[] = [];
  bus.subscribe(({ type }) => heard.push(type));
  bus.publish({ ...startedEvent(), data: deep } as unknown as ThoughtboxEvent);
  bus.publish(thoughtEvent());
  bus.flush();
  expect(heard).toEqual(["thought_added"]);
});

test("a listener that unsubscribes during a call does not change the order for the others", async () => {
  const bus = createEventBus(noReport);
  const heard: number[] = [];
  const stop = bus.subscribe(() => {
    bus.publish(thoughtEvent(3));
    stop();
  });
  bus.subscribe((event) => event.type === "thought_added" && heard.push(event.data.thoughtNumber));
  bus.publish(thoughtEvent(1));
  bus.publish(thoughtEvent(2));
  await aPause();
  await aPause();
  expect(heard).toEqual([1, 2, 3]);
});

const key = `ghp_${"a1B2c3".repeat(6)}`;

function hear(event: ThoughtboxEvent): ThoughtboxEvent | undefined {
  const bus = createEventBus(noReport);
  let heard: ThoughtboxEvent | undefined;
  bus.subscribe((one) => {
    heard = one;
  });
  bus.publish(event);
  bus.flush();
  return heard;
}

test("masks secrets in every field", () => {
  const { timestamp, sessionId } = startedEvent();
  const data = { title: `with ${key}`, tags: [key], project: "_default" };
  expect(hear({ type: "session_started", timestamp, sessionId, data })?.data).toEqual({
    title: "with [secret:github-token]",
    tags: ["[secret:github-token]"],
    project: "_default",
  });
});

test("masks the name of a workspace as well", () => {
  const { timestamp } = startedEvent();
  const event = { type: "workspace_created", timestamp, workspace: key, data: { checkout: "main" } } as const;
  expect(hear(event)).toMatchObject({ workspace: "[secret:github-token]" });
});

test("shortens a thought to 200 characters, after masking a secret at that point", () => {
  const thought = `${"x".repeat(189)} ${key} and more`;
  expect(hear(thoughtEvent(1, thought))?.data).toMatchObject({
    thought: `${"x".repeat(189)} [secret:gi`,
  });
});

function logged(event: LedgerEvent): string[] {
  const lines: string[] = [];
  createThoughtLog((line) => lines.push(line))(event);
  return lines;
}

test("logs a thought in one line, without line breaks or colours from its text", () => {
  expect(logged(thoughtEvent(2, "one\ntwo \u001b[31m"))).toEqual(["3fa85f64 2/2  one⏎two \\u{1b}[31m\n"]);
});

test("does not log other events", () => {
  expect(logged(startedEvent())).toEqual([]);
});
