import type { ClientName } from "../kernel/client-names.ts";

export type ClientPart = "server" | "hooks" | "skill";

export type ClientStatus = {
  client: ClientName;
  /** As people call it. */
  title: string;
  /** Whether it was used on this machine: its configuration folder exists. */
  found: boolean;
  /** What `thoughtbox connect` can set up for it. */
  parts: readonly ClientPart[];
  connected: { at: string; version: string } | undefined;
  /** Why an existing connection does not work any more, in a sentence. */
  trouble: string | undefined;
  /** When one of its hooks last called us. */
  hooksRanAt: string | undefined;
};

export type FileChange = {
  path: string;
  /** `undefined` if the file does not exist. */
  before: string | undefined;
  /** `undefined` if the file is removed. */
  after: string | undefined;
};

export type ConnectReport = {
  client: ClientName;
  changes: readonly FileChange[];
  /** What the person should know or do next, a sentence each. */
  notes: readonly string[];
};

/** Nothing was changed, for a reason that names the file. */
export type ConnectRefused = { client: ClientName; refused: string };

/** Sets clients up and restores their files. */
export interface Clients {
  list(): ClientStatus[];
  /** With `dryRun` nothing is written. */
  connect(client: ClientName, options: { dryRun: boolean }): ConnectReport | ConnectRefused;
  remove(client: ClientName, options: { dryRun: boolean }): ConnectReport | ConnectRefused;
}
