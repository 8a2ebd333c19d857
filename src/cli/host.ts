import type { Operation } from "../operations/define.ts";
import type { Perform } from "../operations/perform.ts";

/** What the commands need from the running program; `main.ts` supplies it. */
export type Host = {
  perform: Perform;
  catalogue: readonly Operation[];
  serveStdio(stop: AbortSignal): Promise<void>;
  serveHttp(): Promise<{
    port: number;
    host: string;
    auth: "auto" | "token" | "off";
    /** `undefined` when the operator set the token. */
    tokenFile: string | undefined;
    stop(): Promise<void>;
  }>;
  close(): Promise<void>;
};

export type Terminal = {
  /** Opened by the commands that need a store; `settings` are laid over the environment. */
  open(settings?: Record<string, string>): Host;
  catalogue: readonly Operation[];
  version: string;
  out(text: string): void;
  error(text: string): void;
  readInput(): Promise<string>;
  inputIsTerminal: boolean;
  /** Fires at SIGTERM or SIGINT. */
  stop: AbortSignal;
  /** `undefined` when THOUGHTBOX_TRANSPORT is not set. */
  transport: "stdio" | "http" | undefined;
  writeFile(path: string, content: string): Promise<void>;
};
