import type { Readable, Writable } from "node:stream";
import { ThoughtboxError } from "../kernel/errors.ts";
import { clip, visible } from "../kernel/text.ts";
import { askOperation } from "../operations/ask-operation.ts";
import type { why } from "../operations/memory/why/why.ts";
import type { whyFile } from "../operations/memory/why/why-file.ts";
import { toHover } from "../operations/memory/why/why-markdown.ts";
import type { Caller } from "../operations/pipeline/context.ts";
import { maxAnswerChars } from "../operations/pipeline/fit/budget.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import { createFrameReader, type Message, toFrame } from "./framing.ts";
import { createOpenFiles, isInside, pathOf } from "./open-files.ts";

type Options = {
  input: Readable;
  output: Writable;
  /** Called at the first question, so that nothing is created if an editor only starts the server. */
  openPerform(): Promise<Perform>;
  version: string;
  report(thrown: unknown): void;
};

const caller: Caller = { era: "modern", transport: "cli", can: { roots: false, sampling: false } };
const codes = {
  notInitialized: -32002,
  invalidRequest: -32600,
  unknownMethod: -32601,
  failed: -32803,
} as const;
const mostLenses = 200;
/** The maximum length of a hover. A person reads it, so complete reasons matter more than brevity. */
const hoverChars = 3_000;
/**
 * How many questions are answered at the same time. An editor asks about everything it shows, and answering
 * may start git.
 */
const mostRunning = 64;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Only the fields that are used. An editor may send anything, so values are checked first. */
type Params = {
  textDocument?: { uri?: unknown; text?: unknown } | null;
  position?: { line?: unknown } | null;
  contentChanges?: unknown;
  rootUri?: unknown;
  workspaceFolders?: unknown;
  initializationOptions?: { trusted?: unknown } | null;
  id?: unknown;
};

/** Serves hover and code lens over stdio. Resolves with the exit code when the editor disconnects. */
export function serveLanguage({ input, output, openPerform, version, report }: Options): Promise<number> {
  const files = createOpenFiles();
  const running = new Map<unknown, AbortController>();
  let state: "new" | "ready" | "off" = "new";
  let folders: readonly string[] = [];
  let isTrusted = true;

  const send = (message: object) => output.write(toFrame(message));

  async function ask<Op extends Operation>(name: string, args: object, signal: AbortSignal) {
    const perform = await openPerform();
    try {
      return await askOperation<Op>(perform, name, { ...args }, { caller, signal });
    } catch (thrown) {
      // An editor also asks about files outside git, for which there is nothing to show.
      if (thrown instanceof ThoughtboxError && /^(?:UNKNOWN_ID|INVALID_PAYLOAD)$/.test(thrown.code))
        return undefined;
      throw thrown;
    }
  }

  /** Returns `undefined` if the file is not in an open folder, or if the workspace is not trusted. */
  function fileOf({ textDocument }: Params): { uri: string; path: string } | undefined {
    const uri = textOf(textDocument?.uri);
    const path = pathOf(uri);
    if (!isTrusted || path === undefined) return undefined;
    return folders.length === 0 || isInside(path, folders) ? { uri, path } : undefined;
  }

  async function hover(params: Params, signal: AbortSignal) {
    const file = fileOf(params);
    const line = Number(params.position?.line);
    const saved = file && (await files.mapToDisk(file.uri))?.[line];
    if (!file || saved === undefined || saved < 0) return null;
    const args = { file: file.path, line: saved + 1, max_chars: hoverChars };
    const found = await ask<typeof why>("why", args, signal);
    const value = found?.answers[0] && toHover(found.answers[0], found.pinned);
    return value === undefined ? null : { contents: { kind: "markdown", value } };
  }

  /** Shows one lens above consecutive lines from the same session. */
  async function codeLens(params: Params, signal: AbortSignal) {
    const file = fileOf(params);
    const map = file && (await files.mapToDisk(file.uri));
    if (!file || !map) return [];
    const args = { file: file.path, max_chars: maxAnswerChars };
    const found = await ask<typeof whyFile>("why_file", args, signal);
    const writers = new Map(found?.writers.map((writer) => [writer.n, writer]));
    const onDisk = new Map<number, NonNullable<ReturnType<typeof writers.get>>>();
    for (const { from, to, writer } of found?.runs ?? [])
      for (let line = from; line <= to; line += 1) {
        const by = writers.get(writer ?? 0);
        if (by) onDisk.set(line - 1, by);
      }
    const lenses: object[] = [];
    let last: string | undefined;
    for (const [line, saved] of map.entries()) {
      const by = onDisk.get(saved);
      if (by && by.sessionId !== last && lenses.length < mostLenses) {
        const title = by.title === undefined ? "" : ` · ${clip(visible(by.title), 80)}`;
        const position = { line, character: 0 };
        lenses.push({
          range: { start: position, end: position },
          command: { title: `${visible(by.agent)} · ${by.at.slice(0, 10)}${title}`, command: "" },
        });
      }
      // A line without an author, such as an empty line, does not start a new lens.
      last = by?.sessionId ?? last;
    }
    return lenses;
  }

  function initialize({ rootUri, workspaceFolders, initializationOptions }: Params) {
    const open = Array.isArray(workspaceFolders) ? workspaceFolders.map((folder) => folder?.uri) : [];
    folders = [...new Set([...open, rootUri].flatMap((uri) => pathOf(textOf(uri)) ?? []))];
    isTrusted = initializationOptions?.trusted !== false;
    state = "ready";
    return {
      serverInfo: { name: "thoughtbox", version },
      capabilities: isTrusted
        ? {
            textDocumentSync: { openClose: true, change: 1 },
            hoverProvider: true,
            codeLensProvider: { resolveProvider: false },
          }
        : {},
    };
  }

  function notify(method: string, params: Params): void {
    const uri = textOf(params.textDocument?.uri);
    if (method === "textDocument/didOpen") files.set(uri, textOf(params.textDocument?.text));
    else if (method === "textDocument/didChange") {
      const changes = Array.isArray(params.contentChanges) ? params.contentChanges : [];
      const text: unknown = changes.at(-1)?.text;
      if (typeof text === "string") files.set(uri, text);
    } else if (method === "textDocument/didClose") files.close(uri);
    else if (method === "$/cancelRequest") running.get(params.id)?.abort();
  }

  async function answer(method: string, params: Params, signal: AbortSignal): Promise<object> {
    if (method === "initialize" && state === "new") return { result: initialize(params) };
    if (state !== "ready") {
      const code = state === "new" ? codes.notInitialized : codes.invalidRequest;
      return { error: { code, message: "Send initialize first, and nothing after shutdown." } };
    }
    if (method === "shutdown") {
      state = "off";
      return { result: null };
    }
    if (method === "textDocument/hover") return { result: await hover(params, signal) };
    if (method === "textDocument/codeLens") return { result: await codeLens(params, signal) };
    return {
      error: { code: codes.unknownMethod, message: `${clip(visible(method), 80)} is not supported.` },
    };
  }

  async function respond(id: unknown, method: string, params: Params): Promise<void> {
    const error = {
      code: codes.failed,
      message: `Thoughtbox processes at most ${mostRunning} requests at a time.`,
    };
    if (running.size >= mostRunning) return void send({ id, error });
    const cancel = new AbortController();
    running.set(id, cancel);
    const reply = await answer(method, params, cancel.signal).catch((thrown) => {
      if (!cancel.signal.aborted) report(thrown);
      return { error: { code: codes.failed, message: "The request failed. See the log of thoughtbox lsp." } };
    });
    running.delete(id);
    send({ id, ...reply });
  }

  return new Promise((resolve) => {
    const end = (code: number) => {
      input.removeAllListeners("data");
      for (const cancel of running.values()) cancel.abort();
      resolve(code);
    };
    const receive = ({ id, method, params }: Message) => {
      if (typeof method !== "string") return;
      const given = (typeof params === "object" && params !== null ? params : {}) as Params;
      if (method === "exit") end(state === "off" ? 0 : 1);
      else if (id === undefined) notify(method, given);
      else if (typeof id === "string" || typeof id === "number") void respond(id, method, given);
    };
    const read = createFrameReader(receive);
    input.on("data", (chunk: Buffer) => {
      try {
        read(chunk);
      } catch (thrown) {
        report(thrown);
        end(1);
      }
    });
    input.on("end", () => end(state === "off" ? 0 : 1));
    output.on("error", () => end(1));
  });
}
