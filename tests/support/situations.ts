import type { Call } from "../../src/operations/pipeline/perform.ts";
import { withRepository } from "./git/repository.ts";
import { type createTestApp, startThinking, type TestClient } from "./test-app.ts";
import { codexPath, writeTranscripts } from "./transcripts.ts";

type App = ReturnType<typeof createTestApp>;

/** The client, its session (`$session` in the examples), and its answers to the server's questions. */
type Situation = {
  client: TestClient;
  sessionId?: string;
  conflict?: string;
  /** A notebook's ID, `$notebook` in the examples. */
  notebook?: string;
  call?: Partial<Call>;
};

/** The situations for the examples in the catalogue. */
export const situations: Record<string, (app: App) => Promise<Situation>> = {
  "a new session": async (app) => {
    const client = app.modern();
    const { sessionId } = await client.call("start_new", { sessionTitle: "Why do logins time out?" });
    return { client, sessionId };
  },
  "a session with thoughts": withThoughts,
  "a session with a branch": async (app) => {
    const situation = await withThoughts(app);
    const { client, sessionId } = situation;
    const fork = { sessionId, thought: "Or is it the proxy?", branchFromThought: 2, branchId: "alt" };
    await client.call("thought", fork);
    await client.call("thought", { sessionId, thought: "It drops idle sockets.", branchId: "alt" });
    return situation;
  },
  "a project with knowledge": withKnowledge,
  "a project with deleted knowledge": async (app) => {
    const situation = await withKnowledge(app);
    const { client, sessionId } = situation;
    await client.call("knowledge.delete_pattern", { sessionId, id: "check-the-pool" });
    return situation;
  },
  "an exported session": async (app) => {
    const situation = await withThoughts(app);
    const { client, sessionId } = situation;
    await client.call("session.export", { sessionId, destination: "review.json" });
    return situation;
  },
  "a deleted session": async (app) => {
    const situation = await withThoughts(app);
    await situation.client.call("session.delete", { sessionId: situation.sessionId, confirm: true });
    return situation;
  },
  "a notebook": withNotebook,
  "a notebook with a changed cell": async (app) => {
    const situation = await withNotebook(app);
    const { client, sessionId, notebook: notebookId } = situation;
    await client.call("notebook.update_cell", { sessionId, notebookId, cellId: "add.ts", content: "5 + 6" });
    return situation;
  },
  "a deleted notebook": async (app) => {
    const situation = await withNotebook(app);
    const { client, sessionId, notebook: notebookId } = situation;
    await client.call("notebook.delete", { sessionId, notebookId, confirm: true });
    return situation;
  },
  "a workspace with a branch": async (app) => {
    const client = app.modern();
    await client.call("notes_commit", { content: "Reads are slow since noon.", title: "Observation" });
    await client.call("branch_create", { name: "try/cache" });
    await client.call("notes_commit", { branch: "try/cache", content: "A cache in front of the reads?" });
    return { client };
  },
  "a workspace with a deleted branch": async (app) => {
    const client = app.modern();
    await client.call("notes_commit", { content: "Reads are slow since noon.", title: "Observation" });
    await client.call("branch_create", { name: "try/cache" });
    await client.call("notes_commit", { branch: "try/cache", content: "A cache in front of the reads?" });
    await client.call("branch_delete", { name: "try/cache" });
    return { client };
  },
  "a workspace with commits": async (app) => {
    const client = app.modern();
    await client.call("commit", { artifact: "Reads are slow since noon.", message: "Observation" });
    await client.call("tag_create", { name: "v1" });
    await client.call("commit", { artifact: "A cache in front of the reads.", message: "Idea" });
    return { client };
  },
  "a workspace with a graph": withGraph,
  "a graph with a conflict": async (app) => {
    const situation = await withGraph(app);
    const { client } = situation;
    await client.call("graph_apply", { branch: "main", ops: [{ ...pool, status: "confirmed" }] });
    const { conflict_ids } = await client.call("graph_merge", { from: "try/cache", merge_to_base: true });
    return { ...situation, conflict: conflict_ids[0] };
  },
  "a workspace with cards": withCards,
  "a workspace with a subgoal": async (app) => {
    const situation = await withCards(app);
    await situation.client.call("think_subgoal_open", { question_id: "CARD-4" });
    return situation;
  },
  "a trace with steps": async (app) => {
    const client = app.modern();
    const step = { totalThoughts: 3, nextThoughtNeeded: true };
    await client.call("trace_sequential_step", { thought: "Logins hang.", thoughtNumber: 1, ...step });
    const fork = { thoughtNumber: 2, branchFromThought: 1, branchId: "proxy" };
    await client.call("trace_sequential_step", { thought: "Or the proxy?", ...fork, ...step });
    return { client };
  },
  "a workspace with anchors": withAnchors,
  "a task in focus": withTask,
  "a leased step": async (app) => {
    const situation = await withTask(app);
    await situation.client.call("tasks_step_lease_claim", { path: "s:0", agent_id: "ada" });
    return situation;
  },
  "a job": withJob,
  "a claimed job": async (app) => {
    const situation = await withJob(app);
    await situation.client.call("tasks_jobs_claim", { runner_id: "r1" });
    return situation;
  },
  "a finished job": async (app) => {
    const situation = await withJob(app);
    const claim = { runner_id: "r1" };
    const { claim_revision } = await situation.client.call("tasks_jobs_claim", claim);
    await situation.client.call("tasks_jobs_complete", {
      job: "JOB-001",
      ...claim,
      claim_revision,
      status: "DONE",
    });
    return situation;
  },
  transcripts: async (app) => {
    writeTranscripts(app);
    return { client: app.modern() };
  },
  "an imported transcript": async (app) => {
    writeTranscripts(app);
    const client = app.modern();
    const { sessionId } = await client.call("transcripts_import", { ref: { path: codexPath } });
    return { client, sessionId };
  },
  "a repository with a captured session": withRepository,
  "a client with roots": async (app) => ({
    client: app.modern({ can: { roots: true, sampling: false } }),
    call: { answers: { roots: [{ uri: "file:///home/ada/shop", name: "shop" }] } },
  }),
};

const pool = {
  op: "node_upsert",
  id: "h1",
  type: "hypothesis",
  title: "The pool is too small",
  status: "open",
};

export async function withKnowledge(app: App): Promise<Situation & { sessionId: string }> {
  const situation = await withThoughts(app);
  const { client, sessionId } = situation;
  await client.call("knowledge.create_pattern", {
    sessionId,
    title: "Check the pool",
    description: "Waiting looks like slow work.",
    content: "Count the waiting connections first.",
    tags: ["debugging"],
  });
  await client.call("knowledge.write_scratchpad", {
    sessionId,
    topic: "Handover",
    content: "Next: the proxy.",
  });
  return situation;
}

/** Creates a hypothesis and its test on main. A branch has refuted the hypothesis and added a note. */
async function withGraph(app: App): Promise<Situation> {
  const client = app.modern();
  const test = { op: "node_upsert", id: "t1", type: "test", title: "Double the pool" };
  const supports = { op: "edge_upsert", from: "t1", rel: "supports", to: "h1" };
  await client.call("graph_apply", { ops: [pool, test, supports] });
  await client.call("branch_create", { name: "try/cache" });
  await client.call("graph_apply", { branch: "try/cache", ops: [{ ...pool, status: "refuted" }] });
  return { client };
}

/** Creates a hypothesis with evidence, the decision that rests on it, and a question. */
async function withCards(app: App): Promise<Situation> {
  const client = app.modern();
  await client.call("think_pipeline", {
    hypothesis: "The pool is too small",
    evidence: "CMD: psql -c 'select count(*) from pg_stat_activity'\n40 of 40 connections taken",
    decision: "Pool of 80",
    status: { decision: "accepted" },
  });
  await client.call("think_add_question", { card: "Who holds the connections?" });
  return { client };
}

/** Creates two areas, one of which depends on the other, each with a card. */
async function withAnchors(app: App): Promise<Situation> {
  const client = app.modern();
  await client.call("macro_anchor_note", {
    anchor: "a:storage",
    title: "Storage",
    kind: "component",
    content: "One SQLite file; writers queue.",
    card_type: "decision",
  });
  await client.call("macro_anchor_note", {
    anchor: "a:login",
    title: "Login",
    kind: "component",
    depends_on: ["a:storage"],
    content: "Sessions live for a day.",
  });
  return { client };
}

/** Creates a plan, its task with two steps, and a hypothesis about it. */
async function withTask(app: App): Promise<Situation> {
  const client = app.modern();
  await client.call("tasks_create", { title: "Logins below 200 ms" });
  await client.call("tasks_create", {
    parent: "PLAN-001",
    title: "Find what holds the connections",
    steps: [
      { title: "Measure", success_criteria: ["a number per host"], tests: ["bench/login.sh"] },
      { title: "Decide" },
    ],
  });
  await client.call("tasks_focus_set", { target: "TASK-001" });
  await client.call("think_add_hypothesis", { card: "The pool is too small", step: "focus" });
  return { client };
}

async function withJob(app: App): Promise<Situation> {
  const client = app.modern();
  await client.call("tasks_jobs_create", { title: "Review the fix", prompt: "Try to break it." });
  return { client };
}

async function withThoughts(app: App): Promise<Situation & { sessionId: string }> {
  const client = app.modern();
  const sessionId = await startThinking(client, {
    sessionTitle: "Why do logins time out?",
    tags: ["example"],
  });
  await client.call("thought", { sessionId, thought: "S1|O|Every login has hit a timeout since noon" });
  await client.call("thought", { sessionId, thought: "S2|H|S1|The connection pool is too small" });
  await client.call("thought", { sessionId, thought: "S3|E|S2|Forty of forty connections are taken" });
  return { client, sessionId };
}

async function withNotebook(app: App): Promise<Situation & { sessionId: string; notebook: string }> {
  const { client, sessionId } = await withThoughts(app);
  const { notebookId } = await client.call("notebook.create", { sessionId, name: "Sums" });
  const code = { sessionId, notebookId, type: "code", filename: "add.ts", content: "1 + 2" };
  await client.call("notebook.add_cell", code);
  return { client, sessionId, notebook: notebookId };
}

/** Inserts the situation's session, conflict and notebook into an example's input. */
export function fillIn(input: Record<string, unknown>, situation: Situation): Record<string, unknown> {
  const { sessionId, conflict, notebook } = situation;
  const recordAs = input["recordAs"] as Record<string, unknown> | undefined;
  return {
    ...input,
    ...(input["sessionId"] === "$session" && { sessionId }),
    ...(input["from"] === "session/$session" && { from: `session/${sessionId}` }),
    ...(input["notebookId"] === "$notebook" && { notebookId: notebook }),
    ...(recordAs?.["sessionId"] === "$session" && { recordAs: { ...recordAs, sessionId } }),
    ...(input["conflict_id"] === "$conflict" && { conflict_id: conflict }),
  };
}
