import { createRequire } from "node:module";
import { onTestFinished } from "vitest";
import { createPostgresStore } from "../../../src/storage/postgres/postgres-store.ts";
import { connect, databaseUrl, hasPostgres, tenantOf } from "./postgres-server.ts";
import type { StoreKind } from "./stores.ts";

const postgres: StoreKind = {
  name: "postgres",
  adapter: "postgres",
  lasts: true,
  hasFiles: false,
  open: (path, clock) =>
    createPostgresStore({ url: databaseUrl(), tenant: tenantOf(path), poolSize: 4 }, clock),
  watchStatements,
  framing: { includes: (statement) => framing.test(statement), perCall: 6 },
  versionsInReach,
};

/** The PostgreSQL stores to test. The list is empty if there is no server. */
export const postgresStores: readonly StoreKind[] = hasPostgres ? [postgres] : [];

type Asked = string | { text: string };
type Prototype = { query(question: Asked, ...more: unknown[]): unknown };

/** Matches statements around a transaction. A write also locks the tenant's row and moves its counter. */
const framing =
  /^(?:BEGIN|COMMIT|ROLLBACK|UPDATE thoughtbox\.tenants SET seq = \$\d, merge_from)|\btenants\b[^()]*FOR UPDATE/;

/**
 * A hint is sent after the answer and covers everything committed since the last hint, so it belongs to no
 * call.
 */
const hint = /^SELECT pg_notify/;

function watchStatements(see: (sql: string) => void): void {
  const prototype: Prototype = createRequire(import.meta.url)("pg").Client.prototype;
  const { query } = prototype;
  prototype.query = function watched(question, ...more) {
    const text = typeof question === "string" ? question : question.text;
    if (!hint.test(text)) see(text);
    return query.call(this, question, ...more);
  };
  onTestFinished(() => {
    prototype.query = query;
  });
}

async function versionsInReach(path: string) {
  const client = await connect(databaseUrl());
  const count = async (rows: string) => {
    const { rows: found } = await client.query(`SELECT count(*)::int AS n FROM ${rows}`);
    return Number(found[0]?.["n"]);
  };
  const tenant = `tenant = '${tenantOf(path)}'`;
  const found = {
    versions: await count(`thoughtbox.graph_versions WHERE visible = 1 AND ${tenant}`),
    nodes: await count(`(SELECT DISTINCT doc, bid, seq FROM thoughtbox.graph_facets WHERE ${tenant}) f`),
  };
  await client.end();
  return found;
}
