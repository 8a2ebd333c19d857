import { describe, expect, test } from "vitest";
import { createTestApp, inProcess, type TestClient, ways } from "../../support/test-app.ts";

const talking = (id: string) => ({ client: "agent", conversation: { id } });
const step = { target: "TASK-001", path: "s:0" };

const taskFor = (client: TestClient) =>
  client.call("tasks_create", { title: "Slow build", steps: ["Measure", "Fix"] });

describe.each(ways)("the lease of a %s client over %s", (era, backend) => {
  test("never locks out its holder, even if the holder gives no name or gives it only once", async () => {
    const app = createTestApp({ backend });
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await taskFor(ada);
    const { steps } = await ada.call("tasks_step_lease_claim", step);
    const holder = steps[0].lease.agent_id;
    expect(holder).toMatch(/^agent-[0-9a-f]{8}$/);
    expect(await bo.refusal("tasks_note", { ...step, note: "mine?" })).toMatchObject({
      code: "STEP_LEASE_HELD",
      message: expect.stringContaining(holder),
    });
    await ada.call("tasks_note", { ...step, note: "without a name" });
    await ada.call("tasks_note", { ...step, note: "with one", agent_id: "ada" });
    await ada.call("tasks_step_lease_renew", step);
    expect((await bo.refusal("tasks_step_lease_release", step)).code).toBe("STEP_LEASE_NOT_HELD");
    await ada.call("tasks_step_lease_release", step);
    await ada.call("tasks_step_lease_claim", { ...step, agent_id: "ada" });
    await ada.call("tasks_note", { ...step, note: "the name is known" });
    expect((await ada.refusal("tasks_note", { ...step, note: "of another", agent_id: "cy" })).code).toBe(
      "STEP_LEASE_HELD",
    );
    const later = app[era](talking("later"));
    await later.call("tasks_note", { ...step, note: "the same agent again", agent_id: "ada" });
  });
});

test.each(inProcess)(
  "a lease of a %s client on %s ends half an hour after its holder last wrote",
  async (era, backend) => {
    let now = Date.parse("2026-11-16T08:00:00Z");
    const app = createTestApp({ backend, clock: () => new Date(now) });
    const [ada, bo] = [app[era](talking("a")), app[era](talking("b"))];
    await taskFor(ada);
    await ada.call("tasks_step_lease_claim", step);
    const isFree = async () =>
      ((await bo.call("tasks_context", { ready: true })).ready as unknown[]).length > 0;
    now += 25 * 60_000;
    await ada.call("notes_commit", { content: "still at work" });
    now += 25 * 60_000;
    expect(await isFree()).toBe(false);
    expect((await bo.refusal("tasks_note", { ...step, note: "mine?" })).code).toBe("STEP_LEASE_HELD");
    now += 6 * 60_000;
    expect(await isFree()).toBe(true);
    expect((await bo.call("tasks_step_lease_get", step)).held).toBe(false);
    await bo.call("tasks_step_lease_claim", step);
    expect((await ada.refusal("tasks_note", { ...step, note: "too late" })).code).toBe("STEP_LEASE_HELD");
  },
);

/** On the memory backend, the test client also makes every suggested call. */
const onDisk = inProcess.filter(([, backend]) => backend !== "memory");

test.each(onDisk)(
  "a job of a %s client on %s with a silent runner is shown as stale, with the call that takes it over",
  async (era, backend) => {
    let now = Date.parse("2026-11-16T08:00:00Z");
    const app = createTestApp({ backend, clock: () => new Date(now) });
    const client = app[era]();
    await client.call("tasks_jobs_create", { title: "Profile it", prompt: "Profile the linker." });
    await client.call("tasks_jobs_claim", { job: "JOB-001", runner_id: "one" });
    expect((await client.call("tasks_jobs_list")).jobs[0]).not.toHaveProperty("stale");
    now += 3_600_000;
    const { jobs, suggestions } = await client.call("tasks_jobs_list");
    expect(jobs).toMatchObject([{ id: "JOB-001", stale: true }]);
    const takeOver = { job: "JOB-001", allow_stale: true };
    expect(suggestions).toMatchObject([{ operation: "tasks_jobs_claim", args: takeOver }]);
    const { recovery } = await client.refusal("tasks_jobs_claim", { job: "JOB-001", runner_id: "two" });
    expect(recovery).toMatchObject({
      operation: "tasks_jobs_claim",
      args: { ...takeOver, runner_id: "two" },
    });
    expect(await client.call("tasks_jobs_claim", recovery?.args)).toMatchObject({ job: { runner: "two" } });
  },
);
