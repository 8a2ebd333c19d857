import { expect } from "vitest";
import { createTestApp } from "./test-app.ts";

type Client = ReturnType<ReturnType<typeof createTestApp>["modern"]>;

export const node = (id: string, title: string) => ({ op: "node_upsert", id, type: "fact", title });

/** The result of a merge with nothing to do. */
export const nothing = { merged: 0, conflicts_created: 0, conflicts_open: 0 };

/** Creates nodes on main, and a `try` branch from it. */
export async function beginWith(ids: readonly string[]): Promise<Client> {
  const client = createTestApp().modern();
  await client.call("graph_apply", { ops: ids.map((id) => node(id, "first")) });
  await client.call("branch_create", { name: "try" });
  return client;
}

export const on = (client: Client, branch: string, ...ops: object[]) =>
  client.call("graph_apply", { branch, ops });

export const back = (client: Client, more: object = {}) =>
  client.call("graph_merge", { from: "try", into: "main", ...more });

/** Changes n1 on both sides. Returns the conflict. */
export async function collide(client: Client): Promise<string> {
  await on(client, "main", node("n1", "ours"));
  await on(client, "try", node("n1", "theirs"));
  const { conflict_ids } = await back(client);
  expect(conflict_ids).toHaveLength(1);
  return conflict_ids[0];
}

export const openOnes = async (client: Client) =>
  (await client.call("graph_conflicts", { into: "main" })).conflicts.map(({ key }: { key: string }) => key);
