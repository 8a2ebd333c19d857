import type { Agent, AgentTask } from "./agent.ts";

/** A task: one agent leaves a session and a note. The next has only the session ID, or its beginning. */
export const handOver: AgentTask = {
  id: "hand-over",
  about: "hand an investigation over to a second agent",
  maxBytes: 10_200,

  async run(join) {
    const first = await join();
    await first.call("session_search", { query: "memory of the importer grows" });
    const { sessionId } = await first.call("thought", { thought: found[0], agentId: "first" });
    const think = (agent: Agent, agentId: string, thought: string | undefined, more: object = {}) =>
      agent.call("thought", { sessionId, thought, agentId, ...more });
    for (const step of found.slice(1)) await think(first, "first", step);
    await think(first, "first", aside[0], { branchFromThought: 6, branchId: "parser" });
    for (const step of aside.slice(1)) await think(first, "first", step, { branchId: "parser" });
    await first.call("thoughtbox_gateway", {
      operation: "notes_commit",
      args: {
        title: "Importer memory",
        content: `Heap snapshots lie in the build's artefacts. See ${sessionId}.`,
      },
    });
    await think(first, "first", left);

    const second = await join();
    await second.call("thoughtbox_gateway", { operation: "help", args: { topic: "handover" } });
    const context = await second.call("load_context", { sessionId });
    const open = context.digest.openQuestions.length;
    if (open === 0) throw new Error("the digest does not say what is open");
    await second.call("read_thoughts", { sessionId, range: [4, 9] });
    await second.call("session_search", { query: "heap snapshots importer", sessionId });
    for (const step of goneOn) await think(second, "second", step);
    await second.call("read_thoughts", { sessionId, type: "X" });
    await think(second, "second", end, { nextThoughtNeeded: false });
  },
};

const found = [
  "S1|O|The importer takes 180 MB more with every file and gives nothing back",
  "S2|O|S1|It ends with the process: nothing is written elsewhere",
  "S3|H|S1|The parser keeps the whole file",
  "S4|E|S3|A heap snapshot holds 1.1 million row objects, no file buffers",
  "S5|X|S3|Not the parser: rows are kept, not files",
  "S6|H|S4|Somebody collects rows for the summary",
  "S7|E|S6|The summary keeps counters only",
  "S8|X|S6|Not the summary",
  "S9|H|S4|The retry queue keeps every row until the file is done",
];

const aside = [
  "S7|H|S4|Would a streaming parser help all the same?",
  "S8|E|S7|It saves 12 MB of 180 MB",
  "S9|X|S7|Too little to be worth it now",
];

const left = "S10|Q|S9|Is the retry queue ever emptied? Look at its drain handler next";

const goneOn = [
  "S11|E|S10|The drain handler is registered on the wrong emitter and never runs",
  "S12|P|S11|Register it on the queue, keep at most a thousand rows",
  "S13|E|S12|Memory stays at 210 MB over forty files",
];

const end = "S14|C|S11,S13|The retry queue was never drained; fixed and bounded";
