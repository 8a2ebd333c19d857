import { createRequire } from "node:module";
import type { ConnectionOptions } from "node:tls";
import { storageFailure } from "../../../ports/storage-failures.ts";
import type { Row } from "../../rows/row.ts";

/** The part of `pg` that this folder uses. */
export type Found = { rows: Row[]; rowCount: number | null; command: string };
export type Question = { text: string; values?: readonly unknown[]; name?: string };
export interface Client {
  /** The client's socket. */
  connection?: { stream?: { cork?(): void; uncork?(): void } };
  connect(): Promise<unknown>;
  query(question: string | Question): Promise<Found>;
  end(): Promise<void>;
  on(event: "error", listener: (thrown: Error) => void): void;
  on(event: "end", listener: () => void): void;
  on(event: "notification", listener: (message: { payload?: string }) => void): void;
}
export type ClientOptions = {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: boolean | ConnectionOptions;
  application_name: string;
  connectionTimeoutMillis: number;
  keepAlive: boolean;
  pipeline: boolean;
  types: { getTypeParser(oid: number, format?: string): (value: string) => unknown };
};
type Driver = {
  Client: new (options: ClientOptions) => Client;
  types: { getTypeParser(oid: number, format?: string): (value: string) => unknown };
};

const require = createRequire(import.meta.url);

/** Loads the driver on first use. SQLite users neither install nor load it. */
export function loadDriver(): Driver {
  // Node.js 20 has no navigator. If there is no navigator, the driver creates a Response to find out where it
  // runs, and loading Response takes as long as the rest of the driver.
  const isNamed = "navigator" in globalThis;
  if (!isNamed) Object.assign(globalThis, { navigator: { userAgent: "Node.js" } });
  try {
    return require("pg");
  } catch (cause) {
    throw storageFailure("driver_missing", { engine: "PostgreSQL" }, cause);
  } finally {
    if (!isNamed) Reflect.deleteProperty(globalThis, "navigator");
  }
}

const [oidBool, oidInt8, oidNumeric] = [16, 20, 1700];

/** Returns parsers for column types. Numbers become doubles and booleans 1 or 0, so that rows look as in SQLite. */
export function typesOf({ types }: Driver): ClientOptions["types"] {
  return {
    getTypeParser(oid, format) {
      if (oid === oidInt8 || oid === oidNumeric) return Number;
      if (oid === oidBool) return (value) => (value === "t" ? 1 : 0);
      return types.getTypeParser(oid, format);
    },
  };
}

/**
 * Collects statements into one packet until the returned function is called or the event loop's next turn.
 */
export function sendTogether({ connection }: Client): () => void {
  const stream = connection?.stream;
  let isCorked = stream?.cork !== undefined;
  if (!isCorked) return () => {};
  stream?.cork?.();
  const uncork = () => {
    if (isCorked) stream?.uncork?.();
    isCorked = false;
  };
  setImmediate(uncork);
  return uncork;
}
