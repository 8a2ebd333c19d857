import type { ClientName } from "../kernel/client-names.ts";

export type ClientPart = "server" | "hooks" | "skill";

export type ClientStatus = {
  client: ClientName;
  title: string;
  /** True if the client's configuration folder exists, which means that the client has been used on this machine. */
  found: boolean;
  /** What `thoughtbox connect` can set up for the client. */
  parts: readonly ClientPart[];
  connected: { at: string; version: string } | undefined;
  /** One sentence on why an existing connection no longer works. */
  trouble: string | undefined;
  /** When one of the client's hooks last called Thoughtbox. */
  hooksRanAt: string | undefined;
};

export type FileChange = {
  path: string;
  /** The text before the change. `undefined` if the file does not exist. */
  before: string | undefined;
  /** The text after the change. `undefined` to remove the file. */
  after: string | undefined;
};

export type ConnectReport = {
  client: ClientName;
  changes: readonly FileChange[];
  /** What the user should know or do next, one sentence per item. */
  notes: readonly string[];
};

/** The result if nothing was changed. `refused` states the reason and names the file. */
export type ConnectRefused = { client: ClientName; refused: string };

/** Sets up clients and restores their files. */
export interface Clients {
  list(): ClientStatus[];
  /** Sets up a client. If `dryRun` is true, only returns what it would change. */
  connect(client: ClientName, options: { dryRun: boolean }): ConnectReport | ConnectRefused;
  remove(client: ClientName, options: { dryRun: boolean }): ConnectReport | ConnectRefused;
}
