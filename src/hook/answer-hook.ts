import { setImmediate } from "node:timers/promises";
import { momentOf, readAction, readFacts } from "../domain/recall/hook-answer.ts";
import { resultOf } from "../operations/ask-operation.ts";
import { type Caller, createBinding } from "../operations/pipeline/context.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { HookRequest } from "./hook-server.ts";

type HookDoor = {
  perform: Perform;
  projectOf(directory: string | undefined): string;
  report(thrown: unknown): void;
};

/** Returns the caller for a client's hooks, which run as this user in the client's project. */
function callerOf(project: string): Caller {
  return {
    era: "legacy",
    transport: "cli",
    binding: { ...createBinding(), project },
    can: { roots: false, sampling: false },
  };
}

const operations = { begin: "session_begin", capture: "session_capture", action: "before_action" } as const;

/** Answers a client's hook. Recording continues after the answer, so that the client does not wait. */
export function createHookDoor({ perform, projectOf, report }: HookDoor) {
  const recording = new Set<Promise<unknown>>();

  async function answer({ client, event, input, attended }: HookRequest): Promise<object> {
    const moment = momentOf(event);
    if (moment === undefined) return {};
    const { cwd, conversation, transcript, source } = readFacts(input);
    const fields = { client, event, source, session_id: conversation, transcript_path: transcript };
    const acting = moment === "action" ? { ...readAction(input), cwd, attended } : {};
    const args = Object.fromEntries(
      Object.entries({ ...fields, ...acting }).filter(([, value]) => value !== undefined),
    );
    const call = perform(operations[moment], args, { caller: callerOf(projectOf(cwd)) });
    if (moment !== "capture") return hookJson(resultOf(await call));
    const done = call.then(resultOf).catch(report);
    recording.add(done);
    void done.finally(() => recording.delete(done));
    return {};
  }

  return {
    /** Makes a few calls in advance, because the first calls take several times as long as later ones. */
    async warmUp(): Promise<void> {
      for (let n = 0; n < warmUps; n += 1) {
        await answer(beforeNothing).catch(() => {});
        await setImmediate();
      }
    },
    answer: (request: HookRequest): Promise<object> =>
      answer(request).catch((thrown) => {
        report(thrown);
        return {};
      }),
    /** Waits for running recordings. */
    settle: () => Promise.all(recording),
  };
}

const warmUps = 20;
/** Matches no recorded edit, so the answer is empty and nothing is stored. */
const beforeNothing: HookRequest = {
  client: "thoughtbox",
  event: "PreToolUse",
  input: { tool_name: "Edit", tool_input: { file_path: "/", old_string: "a\nb\nc\nd", new_string: "" } },
};

/** Drops fields that clients do not know, because the pipeline may add some. */
function hookJson({ hookSpecificOutput, additionalContext }: Record<string, unknown>): object {
  return {
    ...(hookSpecificOutput !== undefined && { hookSpecificOutput }),
    ...(additionalContext !== undefined && { additionalContext }),
  };
}
