import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { findDriver, type Row } from "./driver.ts";
import type { Connection } from "./open-database.ts";

/** In milliseconds: long enough for another process to repair the log of a killed process. */
const timeout = 5_000;

/** Plain CommonJS, passed to Node.js unchanged. */
const program = `
const [driver, location, statements] = process.argv.slice(1);
const load = driver === "" ? process.getBuiltinModule : require;
const { DatabaseSync } = load(driver || "node:sqlite");
let said;
try {
  const db = new DatabaseSync(location, { readOnly: true, timeout: ${timeout} });
  said = { found: JSON.parse(statements).map(({ sql, parameters = [] }) => db.prepare(sql).all(...parameters)) };
} catch ({ message, code, errcode }) {
  said = { failure: { message, code, errcode } };
}
process.stdout.write(JSON.stringify(said));
`;

export type LongStatement = { sql: string; parameters?: readonly string[] };

type Said = { found: Row[][] } | { failure: { message: string; code?: string; errcode?: number } };

/**
 * Returns the result of each statement. The statements take minutes for a large store, SQLite cannot
 * interrupt them, and they block this process. So they run in a separate process that `signal` can end. A
 * store in RAM has no second connection, so its statements run in this process.
 */
export async function runLongStatements(
  { db, location }: Pick<Connection, "db" | "location">,
  statements: readonly LongStatement[],
  signal?: AbortSignal,
): Promise<Row[][]> {
  signal?.throwIfAborted();
  if (location === undefined)
    return statements.map(({ sql, parameters = [] }) => db.prepare(sql).all(...parameters));
  const args = ["-e", program, findDriver() ?? "", location, JSON.stringify(statements)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const kill = () => child.kill("SIGKILL");
  signal?.addEventListener("abort", kill);
  // If the child were not killed here, it would keep running after this process exits.
  process.once("exit", kill);
  try {
    const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
    signal?.throwIfAborted();
    return foundIn(output);
  } finally {
    process.off("exit", kill);
    signal?.removeEventListener("abort", kill);
  }
}

function foundIn(output: string): Row[][] {
  if (output === "") throw new Error("the process for long statements ended without output");
  const said = JSON.parse(output) as Said;
  if ("found" in said) return said.found;
  throw Object.assign(new Error(said.failure.message), said.failure);
}
