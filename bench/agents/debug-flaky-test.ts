import type { AgentTask } from "./agent.ts";

/** A task with twenty-five thoughts, three dead ends, one branch and one correction. */
export const debugFlakyTest: AgentTask = {
  id: "debug",
  about: "debug a flaky test over 25 thoughts",
  maxBytes: 6_300,

  async run(join) {
    const agent = await join();
    await agent.call("session_search", { query: "checkout test fails now and then" });
    const opened = await agent.call("thought", { thought: steps[0] });
    const { sessionId } = opened;
    const think = (thought: string | undefined, more: object = {}) =>
      agent.call("thought", { sessionId, thought, ...more });

    for (const step of steps.slice(1, 12)) await think(step);
    await agent.call("read_thoughts", { sessionId, type: "X" });
    await think(branch[0], { branchFromThought: 10, branchId: "clock" });
    for (const step of branch.slice(1)) await think(step, { branchId: "clock" });
    await agent.call("read_thoughts", { sessionId, last: 5 });
    await think(correction, { revisesThought: 7 });
    for (const step of steps.slice(12)) await think(step);
    await think(conclusion, { nextThoughtNeeded: false });
  },
};

const steps = [
  "S1|O|The checkout test fails about once in forty runs, always with a timeout of 5 s",
  "S2|O|It never fails alone, only in the whole suite",
  "S3|H|S1|The payment stub answers late under load",
  "S4|E|S3|The stub's log shows 2 ms for every request, failing runs included",
  "S5|X|S3|Not the stub: it was fast in all eleven failures",
  "S6|H|S2|Another test leaves a transaction open",
  "S7|E|S6|pg_stat_activity shows one idle transaction at the time of a failure",
  "S8|P|S7|Name each connection after its test to see whose it is",
  "S9|E|S8|It belongs to the report test, which ends before the checkout test begins",
  "S10|Q|S9|Does the order of tests matter?",
  "S11|E|S10|With the report test last, two failures in eighty runs",
  "S12|X|S6|The open transaction is no cause: failures come without it too",
  "S13|H|S2|The fake clock of another file is still installed",
  "S14|E|S13|Failing workers had run the billing file before, passing ones had not: 11 of 11",
  "S15|P|S14|Restore the clock in an afterEach and run the suite two hundred times",
  "S16|E|S15|No failure in two hundred runs",
  "S17|Q|S16|Would a guard catch the next file that forgets it?",
  "S18|P|S17|Fail any test file that ends with a fake clock installed",
  "S19|E|S18|The guard finds two more files: invoices and reminders",
  "S20|O|S19|Both were listed as flaky in the last quarter",
];

const branch = [
  "S11|H|S10|The runner's own clock jumps when the machine is busy",
  "S12|E|S11|The monotonic clock never went back in a day of samples",
  "S13|X|S11|The machine's clock is fine",
];

const correction = "S13|R|^S7|The idle transaction was the connection pool's own health check";
const conclusion =
  "S22|C|S14,S16,S19|Billing left a fake clock behind, so the timeout never fired; restored, guarded";
