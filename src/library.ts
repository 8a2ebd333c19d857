import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };
import { createApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { ThoughtboxError as FailedCall } from "./kernel/errors.ts";
import type * as api from "./library/api.d.ts";
import { createMethods, eachEvent, nextPage, type Schemas } from "./library/methods.ts";
import { describeOperation, openCaller } from "./library/open-caller.ts";
import { readOptions } from "./library/read-options.ts";
import { createBinding } from "./operations/pipeline/context.ts";
import { withWords } from "./operations/pipeline/recoveries.ts";
import type { EventSink } from "./ports/events.ts";

export const ThoughtboxError: typeof api.ThoughtboxError = FailedCall;

/** The bundled program is in `dist/`, next to `content/`. */
const contentDir = join(dirname(fileURLToPath(import.meta.url)), "..", "content");

export const createThoughtbox: typeof api.createThoughtbox = async (options = {}) => {
  const { critic, log = () => {} } = options;
  const app = openApp(options, log);
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  /** Created on demand, because generating the JSON schemas takes longer than opening a box. */
  let described: readonly api.OperationDescription[] | undefined;

  const schemas = new Map<string, Schemas>();
  function schemasOf(operation: string): Schemas {
    const known = schemas.get(operation);
    const declared = app.catalogue.find(({ name }) => name === operation);
    if (known || !declared) return known ?? { input: {}, output: {} };
    const { inputSchema, outputSchema } = describeOperation(declared);
    schemas.set(operation, { input: inputSchema, output: outputSchema });
    return schemasOf(operation);
  }

  const open = (identity: Parameters<typeof openCaller>[2]): api.Connection => {
    const send = openCaller(app.perform, critic, identity);
    return {
      async call(name: string, ...rest: [args?: unknown, options?: api.CallOptions]) {
        if (closing !== undefined)
          throw new FailedCall("STORAGE_ERROR", "This box is closed. Nothing was changed.");
        const call = send(name, ...rest);
        underWay.add(call);
        // The shipped types derive the result from the name.
        return call.finally(() => underWay.delete(call)) as Promise<never>;
      },
    };
  };

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    try {
      await app.tree?.flush();
      await app.close();
    } catch (thrown) {
      throw withWords(thrown);
    }
  }

  const own = open({ era: "modern" });
  const ended = new AbortController();
  const subscribe = (listener: EventSink, types?: readonly string[]) => {
    try {
      return app.subscribe((event) => listener(structuredClone(event)), types);
    } catch (thrown) {
      throw withWords(thrown);
    }
  };
  const closeOnce = () => {
    closing ??= close().finally(() => ended.abort());
    return closing;
  };

  return {
    ...own,
    get operations() {
      described ??= app.catalogue.map(describeOperation);
      return described;
    },
    connect: () => open({ era: "legacy", binding: createBinding() }),
    ...createMethods(own.call, schemasOf),
    async *pages(name: string, args: Record<string, unknown> = {}, options?: api.CallOptions) {
      const call = own.call as (...asked: unknown[]) => Promise<Record<string, unknown>>;
      for (let next: Record<string, unknown> | undefined = args; next; ) {
        const page = await call(name, next, options);
        yield page;
        next = nextPage(next, page);
      }
    },
    events: (types?: readonly string[], { signal }: api.CallOptions = {}) => {
      const stop = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
      return eachEvent((listener: EventSink) => subscribe(listener, types), stop);
    },
    subscribe,
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  } as unknown as api.Thoughtbox;
};

function openApp(options: api.ThoughtboxOptions, log: (line: string) => void) {
  try {
    return createApp({ config: configure(options), version: packageJson.version, contentDir, log });
  } catch (thrown) {
    throw withWords(thrown);
  }
}

/**
 * Logs no thoughts and writes events only to a file, because stdout and stderr belong to the embedding
 * program.
 */
function configure(options: api.ThoughtboxOptions) {
  const { settings, env, readsConfigFile } = readOptions(options);
  const config = readConfig({
    env,
    options: settings,
    ...(!readsConfigFile && { readFile: () => undefined }),
  });
  const output = config.event.output === "file" ? ("file" as const) : ("none" as const);
  return { ...config, disableThoughtLogging: true, event: { ...config.event, output } };
}
