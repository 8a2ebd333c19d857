import type { Agent, AgentTask } from "./agent.ts";

/** A task in which an agent weighs two options in branches. A week later, another process continues. */
export const planRefactoring: AgentTask = {
  id: "plan",
  about: "plan a refactoring with branches, resumed in a new process",
  maxBytes: 10_800,

  async run(join) {
    const planner = await join();
    await planner.call("session_search", { query: "splitting the order module", limit: 5 });
    const { sessionId } = await planner.call("start_new", {
      sessionTitle: "Split the order module",
      tags: ["orders", "refactoring"],
    });
    const think = (agent: Agent, thought: string, more: object = {}) =>
      agent.call("thought", { sessionId, thought, ...more });

    for (const step of survey) await think(planner, step);
    for (const [branchId, steps] of Object.entries(ways)) {
      for (const [n, step] of steps.entries())
        await think(planner, step, { branchId, ...(n === 0 && { branchFromThought: survey.length }) });
    }
    await think(planner, choice);

    const successor = await join();
    const resumed = await successor.call("load_context", { latest: true });
    if (resumed.sessionId !== sessionId) throw new Error("the latest session is another one");
    await successor.call("read_thoughts", { sessionId, branchId: "strangler" });
    for (const step of execution) await think(successor, step);
    await successor.call("read_thoughts", { sessionId, last: 3 });
    await think(successor, end, { nextThoughtNeeded: false });
  },
};

const survey = [
  "S1|O|orders.ts has 2,900 lines and nineteen importers",
  "S2|O|S1|Pricing, stock and mail are three clusters with eleven calls between them",
  "S3|A|S1|The public functions have to keep their names until the next major version",
  "S4|Q|S2,S3|Cut it all at once, or move one cluster after the other?",
];

const ways = {
  rewrite: [
    "S5|H|S4|A rewrite behind the old names takes two weeks and one large review",
    "S6|E|S5|The last rewrite of this kind, invoices, was open for five weeks",
    "S7|X|S5|Too long a freeze: forty changes a month go into this file",
  ],
  strangler: [
    "S5|H|S4|Each cluster moves alone, orders.ts re-exports it",
    "S6|E|S5|Pricing has two importers outside and no state: a day's work",
    "S7|E|S5|Mail needs the order's state, so it moves last",
    "S8|C|S6,S7|Pricing, then stock, then mail, each in a change of its own",
  ],
};

const choice = "S5|C|S4|We move cluster by cluster; the rewrite is rejected, see both branches";

const execution = [
  "S6|P|S5|Pricing first: move, re-export, run the contract tests",
  "S7|E|S6|Moved 610 lines; one import cycle with stock, through the rounding rule",
  "S8|P|S7|The rounding rule goes to a module of its own, before stock moves",
  "S9|E|S8|Cycle gone, all tests pass",
  "S10|Q|S9|Does mail need the order, or only its address and total?",
];

const end = "S11|C|S9,S10|Pricing is out; stock is next; mail waits for the answer to S10";
