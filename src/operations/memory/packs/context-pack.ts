import * as z from "zod";
import { digestOf } from "../../../domain/analysis/digest.ts";
import { emptyCapsule } from "../../../domain/memory/views/capsule.ts";
import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { type MemoryContext, ownProject } from "../../pipeline/context.ts";
import { trimPack } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { resolveSince } from "../workspace/changes.ts";
import {
  contextAdvanced,
  contextInput,
  contextOutput,
  contextPackPlan,
  contextTrim,
  type SessionHalf,
} from "./context-pack-parts.ts";
import { findContext, readContext } from "./read-context.ts";
import { packChars } from "./think-pack.ts";

export const contextPack = defineMemory({
  name: "context_pack",
  title: "Resume work",
  summary:
    "Shows what you need to resume work: notes, trace and cards of a plan, task or branch, the latest session and next steps.",
  toolset: "daily",
  effect: "read",
  defaultChars: packChars,
  input: contextInput,
  advanced: contextAdvanced,
  output: contextOutput,
  trim: contextTrim,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with cards", input: { context_budget: 4000 } },
    { title: "of a task", given: "a task in focus", input: { target: "TASK-001" } },
  ],

  async handle(input, memory) {
    const isNamed = input.target !== undefined || input.ref !== undefined;
    const session = isNamed ? undefined : await latestSession(memory, input);
    if (!memory.state && !isNamed) return emptyPack(memory, session);
    const plan = await findContext(memory, input);
    const { result } = await readContext(memory, plan, input, "context_pack_capsule");
    return session ? Object.assign(result, { session }) : result;
  },
});

export const contextPackExport = defineMemory({
  name: "context_pack_export",
  title: "Write a pack to a file",
  summary: "Writes the result of context_pack to a file in the exports directory, replacing an earlier one.",
  effect: "write",
  input: {
    out_file: z.string().min(1).max(200).describe("Name of the file, such as context_pack.json."),
    ...contextInput,
    max_chars: z
      .int()
      .min(300)
      .max(1_000_000)
      .default(packChars)
      .describe("Maximum length of the pack in characters, at least 300. Default: 20000."),
  },
  advanced: contextAdvanced,
  output: { out_file: z.string(), bytes: z.int(), truncated: z.boolean() },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with cards", input: { out_file: "context_pack.json" } },
  ],

  async handle({ out_file, max_chars, ...asked }, memory) {
    const plan = await findContext(memory, asked);
    const { result } = await readContext(memory, plan, asked, "context_pack_capsule");
    const chars = Math.min(max_chars, asked.context_budget ?? max_chars);
    const safe = memory.settings.secrets.forAnswer(result);
    const { result: fitted, truncated } = trimPack(safe, contextPackPlan, { chars });
    const workspace = memory.settings.secrets.forAnswer(memory.workspace);
    const text = `${JSON.stringify(fitted)}\n`;
    const written = await memory.exports.write({
      fileName: "context_pack.json",
      content: [text],
      destination: out_file,
      isEarlier: (beginning) => isPackOf(workspace, beginning),
    });
    return { out_file: written, bytes: new TextEncoder().encode(text).length, truncated };
  },
});

const packBeginning = /^\{(?:"requested":\{[^{}]{0,1000}\},)?"capsule":\{(.{0,2000})/;
const ownWorkspace = /^"type":"context_pack_capsule","version":1,"where":\{"workspace":("(?:[^"\\]|\\.)*")/;

/** True if a pack of this workspace may replace the file. The shortest packs do not name their workspace. */
function isPackOf(workspace: string, beginning: string): boolean {
  const capsule = packBeginning.exec(beginning)?.[1];
  const named = capsule === undefined ? undefined : ownWorkspace.exec(capsule)?.[1];
  return capsule !== undefined && (named === undefined || named === JSON.stringify(workspace));
}

const summedUp = 200;
const lastThoughts = 3;
const maxText = 300;

async function latestSession(
  memory: MemoryContext<"INVALID_PAYLOAD">,
  asked: { since?: string | undefined; agent_id?: string | undefined },
): Promise<SessionHalf | undefined> {
  const { ledger, caller, settings } = memory;
  const project = ownProject(caller, settings);
  const { sessions } = await ledger.listSessions({
    project,
    tagMode: "all",
    limit: 1,
    offset: 0,
    sortBy: "updatedAt",
    sortOrder: "desc",
  });
  const [session] = sessions;
  if (!session || session.thoughtCount === 0) return undefined;
  const since = asked.since === undefined ? { seq: 0 } : await resolveSince(memory, asked.since);
  const latest = await ledger.readLatest(session.id, undefined, summedUp);
  const thoughts = latest.filter(({ seq }) => seq > since.seq);
  if (thoughts.length === 0) return undefined;
  const { conclusions, openQuestions, rejected } = digestOf(thoughts);
  const lines = (found: readonly { thoughtNumber: number; text: string; why?: string | undefined }[]) =>
    found.map(
      ({ thoughtNumber, text, why }) => `${thoughtNumber} ${text}${why === undefined ? "" : `: ${why}`}`,
    );
  const half = {
    thoughts: thoughts
      .slice(-lastThoughts)
      .map(({ data }) => `${data.thoughtNumber} ${clipWhole(data.thought, maxText)}`),
    conclusions: lines(conclusions),
    open_questions: lines(openQuestions),
    given_up: lines(rejected),
  };
  const filled = Object.entries(half).filter(([, found]) => found.length > 0);
  return { sessionId: session.id, title: session.title, ...Object.fromEntries(filled) };
}

function emptyPack({ workspace }: Pick<MemoryContext, "workspace">, session: SessionHalf | undefined) {
  const first = session
    ? {
        title: `Continue the session ${session.title}`,
        calls: [{ operation: "load_context", args: { sessionId: session.sessionId } }],
      }
    : {
        title: "This workspace is empty: write a thought, a note or a plan",
        calls: [{ operation: "init", args: { workspace } }],
      };
  return { capsule: emptyCapsule("context_pack_capsule", workspace, first), ...(session && { session }) };
}
