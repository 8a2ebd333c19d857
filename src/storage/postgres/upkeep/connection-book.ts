import { randomUUID } from "node:crypto";
import type { Clock } from "../../../kernel/clock.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { ConnectionBook, StoredConnection } from "../../../ports/conversations.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import type { Connection, WithConnection } from "../connection/access.ts";

type Part = "opening" | "binding" | "subscription" | "mail";

/** How long a message is kept. After this time, the call that was waiting for it has ended. */
const mailLastsMs = 2 * 60_000;

/**
 * Stores one row for each fact about a connection. Anyone with the token and an ID could use the connection,
 * so only the ID's digest is stored.
 */
export function createConnectionBook(
  read: WithConnection,
  write: WithConnection,
  clock: Clock,
): ConnectionBook {
  const keyOf = (id: string): string => sha256Hex(id);
  const now = (): number => clock().getTime();
  const put = (id: string, part: Part, name: string, body: unknown, merge = "excluded.body") =>
    write(async ({ sql }: Connection) => {
      await sql(`INSERT INTO legacy_connections AS c (tenant, id, part, name, body, at_ms)
        VALUES (@tenant, ?, ?, ?, ?, ?) ON CONFLICT (tenant, id, part, name)
        DO UPDATE SET body = ${merge}, at_ms = excluded.at_ms`).run(
        ...[keyOf(id), part, name, JSON.stringify(body), now()],
      );
    });
  const remove = (id: string, condition: string, ...values: string[]) =>
    write(async ({ sql }) => {
      await sql(`DELETE FROM legacy_connections WHERE tenant = @tenant AND id = ? ${condition}`).run(
        keyOf(id),
        ...values,
      );
    });

  return {
    open: (id, { principal, opening }) => put(id, "opening", "", { principal, opening }),
    find: (id) =>
      read(async ({ sql }) =>
        decode(
          await sql(
            "SELECT part, name, body FROM {legacy_connections} c WHERE id = ? AND part <> 'mail'",
          ).all(keyOf(id)),
        ),
      ),
    change: (id, conversation, fields) =>
      put(
        ...([id, "binding", conversation, fields] as const),
        "jsonb_strip_nulls(c.body::jsonb || excluded.body::jsonb)::text",
      ),
    subscribe: (id, uri) => put(id, "subscription", uri, {}),
    unsubscribe: (id, uri) => remove(id, "AND part = 'subscription' AND name = ?", uri),
    listSubscriptions: (ids) =>
      read(async ({ sql }) => {
        const rows = await sql(`SELECT id, part, name FROM {legacy_connections} c
          WHERE id = ANY (?::text[]) AND part IN ('opening', 'subscription')`).all(ids.map(keyOf));
        const idOf = new Map(ids.map((id) => [keyOf(id), id]));
        const urisOf = new Map<string, Set<string>>();
        for (const row of rows)
          if (row["part"] === "opening") urisOf.set(idOf.get(String(row["id"])) ?? "", new Set());
        for (const row of rows)
          if (row["part"] === "subscription")
            urisOf.get(idOf.get(String(row["id"])) ?? "")?.add(String(row["name"]));
        return urisOf;
      }),
    close: (id) => remove(id, ""),
    post: (id, recipient, message) => put(id, "mail", `${randomUUID()} ${recipient}`, message),
    collect: (id, recipients) =>
      write(async ({ sql }) => {
        const rows =
          await sql(`DELETE FROM legacy_connections WHERE tenant = @tenant AND id = ? AND part = 'mail'
          AND substring(name FROM 38) = ANY (?::text[]) RETURNING body`).all(keyOf(id), recipients);
        return rows.map((row) => parseColumn(row["body"]));
      }),
    tidy: (used, idleMs) =>
      write(async ({ sql }) => {
        const limit = now() - idleMs;
        const marked = sql(`UPDATE legacy_connections SET at_ms = ? WHERE tenant = @tenant
          AND part = 'opening' AND id = ANY (?::text[])`).run(now(), used.map(keyOf));
        const removed = sql(`DELETE FROM legacy_connections c WHERE tenant = @tenant AND (
          part = 'mail' AND at_ms < ? OR at_ms < ? AND NOT EXISTS (SELECT 1 FROM {legacy_connections} o
            WHERE o.id = c.id AND o.part = 'opening' AND o.at_ms >= ?))`).run(
          ...[now() - mailLastsMs, limit, limit],
        );
        await Promise.all([marked, removed]);
      }),
  };
}

function decode(rows: readonly Row[]): StoredConnection | undefined {
  const bindings = new Map<string, Record<string, unknown>>();
  const subscriptions = new Set<string>();
  let opened: Pick<StoredConnection, "principal" | "opening"> | undefined;
  for (const row of rows) {
    const name = String(row["name"]);
    if (row["part"] === "binding") bindings.set(name, parseColumn(row["body"]));
    else if (row["part"] === "subscription") subscriptions.add(name);
    else opened = parseColumn(row["body"]);
  }
  return opened && { ...opened, bindings, subscriptions };
}
