import * as z from "zod";
import { actionLimits } from "../../../domain/actions/action.ts";
import type { KeptAction } from "../../../domain/actions/kept-action.ts";
import type { ToolCall } from "../../../domain/actions/read-actions.ts";
import { answerWith, denyWith } from "../../../domain/recall/hook-answer.ts";
import { describeCall, parseInput } from "../../../domain/transcripts/describe-call.ts";
import { wordFacts } from "../../../domain/why/word-facts.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { clipWhole, maskForExport } from "../../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { visible } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { gatherFacts } from "./gather-facts.ts";
import { ownSessions } from "./gather-recall.ts";
import { given, hookAnswer, hookFields, projectOf } from "./hook-fields.ts";

const longestInput = 1_000_000;

export const beforeAction = defineMemory({
  name: "before_action",
  title: "Check an action before it runs",
  summary:
    "Called by a client's hook before an edit or a command. Returns facts: other sessions' lines that the edit would remove, identical calls that the user refused, and rules and dead ends for the file.",
  effect: "write",
  /** Only one masked line about the call is stored. */
  guard: [],
  input: {
    ...hookFields,
    tool_name: given(200, "The tool that the agent calls, such as Edit or Bash."),
    tool_input: given(longestInput, "The input of the call, as JSON."),
    tool_use_id: given(200, "The client's ID for the call."),
    cwd: given(4_096, "The directory that the client works in."),
    attended: z.boolean().default(false).describe("true if a person is watching the client. Default: false."),
  },
  output: hookAnswer.shape,
  errors: [],
  examples: [
    {
      title: "before a command",
      input: {
        client: "claude-code",
        event: "PreToolUse",
        tool_name: "Bash",
        tool_input: '{"command":"npm test"}',
      },
    },
  ],

  async handle(input, memory) {
    const { client = "", event, session_id, transcript_path, cwd } = input;
    const { settings, caller, conversations, spoken, warn } = memory;
    const call = settings.beforeAction === "off" ? undefined : readCall(input);
    if (!call) return {};
    try {
      const project = projectOf(settings, caller);
      const asked = { project, client, conversation: session_id, transcript: transcript_path };
      const own = await ownSessions(conversations, asked);
      const sessionId = own.at(-1) ?? "";
      const print = sha256Hex(`${call.tool}\n${input.tool_input}`);
      const denied = spoken.takeDenied(sessionId, print);
      if (denied) {
        await keep(memory, sessionId, { ...denied, call: call.id, denied: false });
        return {};
      }
      const facts = await gatherFacts(memory, { call, cwd: cwd || undefined, own: new Set(own) });
      const fresh = facts.filter(({ id }) => spoken.isNew(sessionId, id));
      if (fresh.length === 0) return {};
      const said = wordFacts(fresh, memory.clock().getTime());
      const denies =
        settings.beforeAction === "deny-once" && input.attended && denyWith(client, event ?? "", said);
      const notice = toNotice(memory, call, said, Boolean(denies));
      if (denies) spoken.keepDenied(sessionId, print, notice);
      await keep(memory, sessionId, notice);
      return denies || answerWith(client, event || "PreToolUse", said);
    } catch (thrown) {
      // Returns no error, because clients show a failing hook to their users, who cannot fix it.
      if (!(thrown instanceof ThoughtboxError)) throw thrown;
      warn({ code: "NOTHING_SAID", message: thrown.message });
      return {};
    }
  },
});

type Told = {
  tool_name?: string | undefined;
  tool_input?: string | undefined;
  tool_use_id?: string | undefined;
};

function readCall({ tool_name: tool, tool_input: text, tool_use_id: id }: Told): ToolCall | undefined {
  const input = parseInput(text || undefined);
  if (!tool || !input) return undefined;
  const command = clipWhole(visible(describeCall(tool, input)), actionLimits.command);
  return { id: id || sha256Hex(`${tool}\n${text}`).slice(0, 32), tool, command, input };
}

type Notice = Extract<KeptAction, { type: "notice" }>;

const toNotice = ({ clock }: MemoryContext, call: ToolCall, said: string, denied: boolean): Notice => ({
  type: "notice",
  call: call.id,
  part: 0,
  tool: clipWhole(visible(call.tool), 200),
  at: clock().toISOString(),
  command: maskForExport(call.command),
  said: maskForExport(said),
  denied,
});

/** Stores the notice with the session. The notice waits if the session has not been captured yet. */
async function keep(memory: MemoryContext, sessionId: string, notice: Notice): Promise<void> {
  const { call, tool, said, denied, at } = notice;
  memory.emit({ type: "agent_noticed", timestamp: at, sessionId, data: { call, tool, said, denied } });
  memory.spoken.keepOpen(sessionId, notice);
  await memory.actions.record(sessionId, [notice]);
}
