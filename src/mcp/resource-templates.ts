import type { ResourceTemplateType } from "@modelcontextprotocol/server";
import { toQuotedNote } from "../operations/ledger/knowledge/knowledge-fields.ts";
import type { knowledgeGetPattern } from "../operations/ledger/knowledge/knowledge-pattern.ts";
import type { knowledgeReadScratchpad } from "../operations/ledger/knowledge/knowledge-scratchpad.ts";
import type { mentalModelsGetModel } from "../operations/ledger/models/mental-models.ts";
import type { notebookGetCell } from "../operations/ledger/notebook/cells/notebook-get-cell.ts";
import type { sessionExport } from "../operations/ledger/session/session-export.ts";
import type { readThoughts } from "../operations/ledger/thought/read-thoughts.ts";
import { readWhole } from "../operations/pipeline/fit/read-whole.ts";
import type { AskLedger } from "./ask-ledger.ts";

export type Template = ResourceTemplateType & {
  pattern: RegExp;
  read(ask: AskLedger, variables: Record<string, string>): Promise<string | undefined>;
  /** True if subscribers can receive changes. */
  isFollowed?: true;
  /** How the values of each variable are completed. */
  complete: Record<string, Completion>;
};

export type Completion =
  | "sessionId"
  | "model"
  | "tag"
  | "pattern"
  | "topic"
  | "notebook"
  | "thoughtNumber"
  | "branchId";

const session = "thoughtbox://sessions/(?<sessionId>[0-9a-f-]{36})";
const number = "(?<thoughtNumber>[1-9][0-9]{0,6})";
/**
 * Notes and notebooks belong to a project. If the URI names a session, the session's project is used. If not,
 * it is the project that the client's tools use.
 */
const ofSession = "(?:\\?sessionId=(?<sessionId>[0-9a-f-]{36}))?";

const notebook = "thoughtbox://notebooks/(?<notebookId>[0-9a-f-]{36})";

const alsoOfSession = "(?:[?&]sessionId=(?<sessionId>[0-9a-f-]{36}))?";

const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

async function readThought(ask: AskLedger, variables: Record<string, string>): Promise<string | undefined> {
  const asked = { ...variables, verbose: true };
  const found = await readWhole(
    (offset) => ask<typeof readThoughts>("read_thoughts", { ...asked, ...(offset > 0 && { offset }) }),
    ({ thoughts: [thought] }) => thought?.thought ?? "",
    // A recorded thought never changes.
    ({ sessionId }) => sessionId,
  );
  return found && json({ ...found.answer.thoughts[0], thought: found.text });
}

export const templates: readonly Template[] = [
  {
    uriTemplate: "thoughtbox://mental-models/{tag}/{model}",
    name: "mental-model",
    title: "Mental model",
    description: "One mental model in full.",
    mimeType: "text/markdown",
    pattern: /^thoughtbox:\/\/mental-models\/(?<tag>[a-z-]+)\/(?<model>[a-z-]+)$/,
    complete: { tag: "tag", model: "model" },
    async read(ask, { tag, model }) {
      const found = await ask<typeof mentalModelsGetModel>("mental_models.get_model", { modelId: model });
      return found?.tags.includes(tag ?? "") ? found.content : undefined;
    },
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}",
    name: "session",
    isFollowed: true,
    title: "Session",
    description: "A session as a document: main chain, branches, corrections and graph.",
    mimeType: "text/markdown",
    pattern: new RegExp(`^${session}(?:\\?after=(?<after>[0-9]{1,9}))?$`),
    complete: { sessionId: "sessionId" },
    async read(ask, { sessionId, after }) {
      const exported = await ask<typeof sessionExport>("session.export", {
        sessionId,
        format: "markdown",
        resolveAnchors: false,
        ...(after !== undefined && { after }),
      });
      if (!exported) return undefined;
      const { content, nextAfter } = exported;
      return nextAfter === undefined
        ? content
        : `${content}\nContinues at thoughtbox://sessions/${sessionId}?after=${nextAfter}\n`;
    },
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}/structure",
    name: "session-structure",
    isFollowed: true,
    title: "Structure of a session",
    description: "Main chain, branches and revisions without contents.",
    mimeType: "application/json",
    pattern: new RegExp(`^${session}/structure$`),
    complete: { sessionId: "sessionId" },
    read: async (ask, variables) => json(await ask("get_structure", variables)),
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}/thoughts/{thoughtNumber}",
    name: "thought",
    isFollowed: true,
    title: "Thought",
    description: "One thought on the main chain.",
    mimeType: "application/json",
    pattern: new RegExp(`^${session}/thoughts/${number}$`),
    complete: { sessionId: "sessionId", thoughtNumber: "thoughtNumber" },
    read: readThought,
  },
  {
    uriTemplate: "thoughtbox://sessions/{sessionId}/branches/{branchId}/thoughts/{thoughtNumber}",
    name: "branch-thought",
    isFollowed: true,
    title: "Thought on a branch",
    description: "One thought on a branch.",
    mimeType: "application/json",
    pattern: new RegExp(`^${session}/branches/(?<branchId>[a-z0-9-]{1,64})/thoughts/${number}$`),
    complete: { sessionId: "sessionId", branchId: "branchId", thoughtNumber: "thoughtNumber" },
    read: readThought,
  },
  {
    uriTemplate: "thoughtbox://knowledge/patterns/{id}",
    name: "knowledge-pattern",
    title: "Pattern",
    description: "One pattern from the project's knowledge.",
    mimeType: "text/markdown",
    pattern: new RegExp(`^thoughtbox://knowledge/patterns/(?<id>[a-z0-9-]{1,64})${ofSession}$`),
    complete: { id: "pattern" },
    async read(ask, variables) {
      const found = await readWhole(
        (offset) => ask<typeof knowledgeGetPattern>("knowledge.get_pattern", { ...variables, offset }),
        ({ pattern }) => pattern.content,
        ({ revision }) => revision,
      );
      return found && toQuotedNote(found.answer.pattern.title, found.text);
    },
  },
  {
    uriTemplate: "thoughtbox://knowledge/scratchpad/{topic}",
    name: "scratchpad-note",
    title: "Scratchpad note",
    description: "The shared note on a topic.",
    mimeType: "text/markdown",
    pattern: new RegExp(`^thoughtbox://knowledge/scratchpad/(?<topic>[a-z0-9-]{1,64})${ofSession}$`),
    complete: { topic: "topic" },
    async read(ask, variables) {
      const found = await readWhole(
        (offset) =>
          ask<typeof knowledgeReadScratchpad>("knowledge.read_scratchpad", { ...variables, offset }),
        ({ note }) => note.content,
        ({ revision }) => revision,
      );
      return found && toQuotedNote(found.answer.note.title, found.text);
    },
  },
  {
    uriTemplate: "thoughtbox://notebooks/{notebookId}",
    name: "notebook",
    title: "Notebook",
    description: "The cells of a notebook in order, with the beginning of their output.",
    mimeType: "application/json",
    pattern: new RegExp(`^${notebook}${ofSession}$`),
    complete: { notebookId: "notebook" },
    read: async (ask, variables) => json(await ask("notebook.list_cells", variables)),
  },
  {
    uriTemplate: "thoughtbox://notebooks/{notebookId}/cells/{cellId}{?version,run}",
    name: "notebook-cell",
    title: "Notebook cell",
    description:
      "A cell in its current or an earlier version, with the output of its latest run or of the run that started at a given time.",
    mimeType: "application/json",
    pattern: new RegExp(
      `^${notebook}/cells/(?<cellId>[A-Za-z0-9._-]{1,100})(?:\\?version=(?<version>[1-9]\\d{0,5}))?(?:[?&]run=(?<run>[1-9]\\d{0,14}))?${alsoOfSession}$`,
    ),
    complete: { notebookId: "notebook" },
    async read(ask, variables) {
      const found = await readWhole(
        (offset) => ask<typeof notebookGetCell>("notebook.get_cell", { ...variables, offset }),
        ({ cell }) => cell.text ?? cell.source ?? "",
        ({ cell }) => cell.version,
      );
      if (!found) return undefined;
      const { answer, text } = found;
      return json({ ...answer.cell, [answer.cell.text === undefined ? "source" : "text"]: text });
    },
  },
];
