import {
  brokenStore,
  given,
  onTask,
  type Provocations,
  type Provoke,
  refused,
} from "../../../../tests/catalogue/provoke.ts";
import { situations } from "../../../../tests/support/situations.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";

const base: Partial<Record<ErrorCode, Provoke>> = {
  INVALID_PAYLOAD: onTask({ path: "s:0" }),
  UNKNOWN_ID: onTask({ path: "s:9", agent_id: "bob" }),
  STORAGE_ERROR: brokenStore,
};

const claimDone: Provoke = async (name, backend) => {
  const prepare = situations["a task in focus"];
  if (!prepare) throw new Error("there is no such situation");
  const { client } = await prepare(createTestApp({ backend }));
  await client.call("tasks_done", { path: "s:1" });
  return refused(client, name, { path: "s:1", agent_id: "bob" });
};

const byBob = given("a leased step", { path: "s:0", agent_id: "bob" });

export const provocations: Provocations = {
  tasks_step_lease_claim: { ...base, CONFLICT: claimDone, STEP_LEASE_HELD: byBob },
  tasks_step_lease_get: { ...base, INVALID_PAYLOAD: onTask({}), UNKNOWN_ID: onTask({ path: "s:9" }) },
  tasks_step_lease_renew: { ...base, STEP_LEASE_NOT_HELD: byBob },
  tasks_step_lease_release: { ...base, STEP_LEASE_NOT_HELD: byBob },
};
