import { expect, test } from "vitest";
import { ThoughtboxError } from "../kernel/errors.ts";
import { createTypeFilter, eventTypes, memoryEventTypes } from "../ports/event-types.ts";
import { startedEvent, thoughtEvent } from "./test-support/sample-events.ts";

function refusal(names: string[]): ThoughtboxError {
  try {
    createTypeFilter(names);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ThoughtboxError);
    return thrown as ThoughtboxError;
  }
  throw new Error("The names were accepted.");
}

test("a star selects all events, with or without other names", () => {
  expect(createTypeFilter(["*"])(thoughtEvent())).toBe(true);
  expect(createTypeFilter(["session_started", "*"])(thoughtEvent())).toBe(true);
});

test("names select only their events", () => {
  const accepts = createTypeFilter(["thought_added", "cipher_loaded"]);
  expect(accepts(thoughtEvent())).toBe(true);
  expect(accepts(startedEvent())).toBe(false);
});

test("accepts every documented name", () => {
  expect(eventTypes).toHaveLength(11 + memoryEventTypes.length);
  expect(() => createTypeFilter(eventTypes)).not.toThrow();
});

test("refuses a misspelt name and suggests the right one", () => {
  expect(refusal(["cipher_loaded", "thought_aded"])).toMatchObject({
    code: "INVALID_PAYLOAD",
    reason: "unknown_event_type",
    facts: { type: "thought_aded", guess: "thought_added" },
  });
});

test("refuses an unknown name and lists the known ones", () => {
  expect(refusal(["constructor"]).facts).toEqual({
    type: "constructor",
    guess: undefined,
    known: eventTypes,
  });
});
