import {
  after,
  atOnce,
  brokenStore,
  given,
  onTask,
  type Provocations,
  type Provoke,
} from "../../../../tests/catalogue/provoke.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";

const leased = (args: Record<string, unknown>) => given("a leased step", args);

const done = (args: Record<string, unknown>) => after("tasks_done", { path: "s:1" }, args);

/** The refusals that all changes to a step share. */
const ofStep = (args: Record<string, unknown>): Partial<Record<ErrorCode, Provoke>> => ({
  INVALID_PAYLOAD: onTask({ ...args, target: "PLAN-001", path: "s:0" }),
  UNKNOWN_ID: onTask({ ...args, path: "s:9" }),
  REVISION_MISMATCH: onTask({ ...args, path: "s:1", expected_revision: 99 }),
  STEP_LEASE_HELD: leased({ ...args, path: "s:0", agent_id: "bob" }),
  STORAGE_ERROR: brokenStore,
});

const checkpoints = { checkpoints: "all" };

export const provocations: Provocations = {
  tasks_create: {
    INVALID_PAYLOAD: atOnce({ title: "x", kind: "task" }),
    UNKNOWN_ID: atOnce({ title: "x", parent: "PLAN-999" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_decompose: {
    INVALID_PAYLOAD: onTask({ target: "PLAN-001", steps: [{ title: "x" }] }),
    UNKNOWN_ID: onTask({ parent: "s:9", steps: [{ title: "x" }] }),
    CONFLICT: done({ parent: "s:1", steps: [{ title: "x" }] }),
    REVISION_MISMATCH: onTask({ steps: [{ title: "x" }], expected_revision: 99 }),
    STEP_LEASE_HELD: leased({ parent: "s:0", steps: [{ title: "x" }] }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_define: { ...ofStep({ title: "x" }), CONFLICT: done({ path: "s:1", title: "x" }) },
  tasks_edit: {
    INVALID_PAYLOAD: onTask({}),
    UNKNOWN_ID: atOnce({ target: "TASK-999", title: "x" }),
    REVISION_MISMATCH: onTask({ title: "x", expected_revision: 99 }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_note: ofStep({ note: "x" }),
  tasks_verify: {
    ...ofStep(checkpoints),
    INVALID_PAYLOAD: onTask({ path: "s:0", checkpoints: "some" }),
    CONFLICT: done({ path: "s:1", ...checkpoints }),
  },
  tasks_done: {
    ...ofStep({}),
    CHECKPOINTS_NOT_CONFIRMED: onTask({ path: "s:0" }),
    CONFLICT: done({ path: "s:1" }),
  },
  tasks_close_step: {
    ...ofStep(checkpoints),
    CHECKPOINTS_NOT_CONFIRMED: onTask({ path: "s:0", checkpoints: {} }),
    CONFLICT: done({ path: "s:1", ...checkpoints }),
  },
  tasks_complete: {
    INVALID_PAYLOAD: onTask({ parked_for_s: 5 }),
    UNKNOWN_ID: atOnce({ target: "TASK-999" }),
    CONFLICT: onTask({ target: "PLAN-001" }),
    REVISION_MISMATCH: onTask({ status: "PARKED", expected_revision: 99 }),
    CHECKPOINTS_NOT_CONFIRMED: onTask({}),
    STORAGE_ERROR: brokenStore,
  },
  tasks_focus_set: {
    INVALID_PAYLOAD: atOnce({}),
    UNKNOWN_ID: atOnce({ target: "TASK-999" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_focus_get: { STORAGE_ERROR: brokenStore },
  tasks_focus_clear: { STORAGE_ERROR: brokenStore },
  tasks_radar: {
    INVALID_PAYLOAD: after("tasks_focus_clear", {}, {}),
    UNKNOWN_ID: atOnce({ target: "TASK-999" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_context: {
    INVALID_PAYLOAD: atOnce({ mine: true }),
    UNKNOWN_ID: atOnce({ target: "nothing" }),
    STORAGE_ERROR: brokenStore,
  },
  tasks_delta: { STORAGE_ERROR: brokenStore },
  tasks_resume_super: {
    INVALID_PAYLOAD: after("tasks_focus_clear", {}, {}),
    UNKNOWN_ID: atOnce({ target: "TASK-999" }),
    STORAGE_ERROR: brokenStore,
  },
};
