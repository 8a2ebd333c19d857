import { expect, test } from "vitest";
import type { ThoughtboxEvent } from "../ports/events.ts";
import { createEventBus } from "./event-bus.ts";
import { startedEvent, thoughtEvent } from "./test-support/sample-events.ts";

const noReport = (thrown: unknown) => expect.unreachable(String(thrown));
const nextTurn = () => new Promise(setImmediate);

test("publishing returns before anybody hears, and everybody hears in order", async () => {
  const bus = createEventBus(noReport);
  const heard: ThoughtboxEvent[] = [];
  bus.subscribe((event) => heard.push(event));
  bus.publish(thoughtEvent(1));
  bus.publish(thoughtEvent(2));
  expect(heard).toEqual([]);
  await nextTurn();
  expect(heard).toEqual([thoughtEvent(1), thoughtEvent(2)]);
});

test("a listener that throws is reported and stops neither the others nor the publisher", () => {
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

test("a listener hears only the types it asked for", () => {
  const bus = createEventBus(noReport);
  const heard: string[] = [];
  bus.subscribe(({ type }) => heard.push(type), ["session_started"]);
  bus.publish(thoughtEvent());
  bus.publish(startedEvent());
  bus.flush();
  expect(heard).toEqual(["session_started"]);
  expect(() => bus.subscribe(() => {}, ["session_start"])).toThrow("unknown_event_type");
});

test("a listener that stopped hears nothing more", () => {
  const bus = createEventBus(noReport);
  const heard: ThoughtboxEvent[] = [];
  const stop = bus.subscribe((event) => heard.push(event));
  bus.publish(thoughtEvent());
  stop();
  bus.flush();
  expect(heard).toEqual([]);
});

test("what a listener publishes is delivered after what was there before", async () => {
  const bus = createEventBus(noReport);
  const heard: string[] = [];
  bus.subscribe(({ type }) => {
    heard.push(type);
    if (type === "session_started") bus.publish(thoughtEvent());
  });
  bus.publish(startedEvent());
  bus.publish(startedEvent());
  await nextTurn();
  await nextTurn();
  expect(heard).toEqual(["session_started", "session_started", "thought_added", "thought_added"]);
});
