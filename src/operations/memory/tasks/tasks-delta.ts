import * as z from "zod";
import { numberOf } from "../../../domain/tasks/ids.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { pagination } from "../fields.ts";
import { describePage } from "../paging.ts";
import { eventField, eventSchema, showEvent, stubEvent } from "./fields.ts";

export const tasksDelta = defineMemory({
  name: "tasks_delta",
  title: "What happened to tasks",
  summary: "Lists what happened to plans, tasks and their jobs since an event, oldest first.",
  effect: "read",
  input: {
    since: eventField.optional().describe("Last event that is known; from the beginning without."),
    cursor: eventField.optional().describe("The same: next_cursor of the page before."),
    limit: clampedLimit(50),
  },
  output: { events: z.array(eventSchema), pagination },
  trim: { list: { key: "events", oldest: "last", cursor: ({ event_id }) => event_id, stub: stubEvent } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "everything", given: "a task in focus", input: {} }],

  async handle({ since, cursor, limit }, memory) {
    const from = cursor ?? since;
    const { events, hasMore } = await memory.memory.readTaskEvents(memory.workspace, {
      after: from === undefined ? 0 : numberOf(from),
      limit,
    });
    const next = events.at(-1)?.event_id;
    return {
      events: events.map(showEvent),
      pagination: describePage({ cursor: from, limit, count: events.length, hasMore, next }),
    };
  },
});
