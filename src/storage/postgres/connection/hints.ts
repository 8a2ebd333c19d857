import { closeInTurn } from "../../../kernel/close-in-turn.ts";
import type { Client } from "./driver.ts";
import type { Lease, Pool } from "./pool.ts";

const channel = "thoughtbox_commits";
const tryAgainMs = 5_000;

/**
 * Notifies other servers of commits, and receives their notifications. The notifications are only hints that
 * make the feed faster. Polling makes up for lost hints. A hint is sent after the commit, because a
 * transaction that notifies takes a lock on the whole database.
 */
export function createHints(pool: () => Promise<Pool>, tenant: string) {
  const audience = new Set<() => void>();
  let lease: Promise<Lease> | undefined;
  /** Settles when the last listening connection is closed. Rejects if it could not be closed. */
  let leaving: Promise<void> | undefined;
  let sending: Promise<unknown> | undefined;
  let owed = false;
  let isClosed = false;

  async function hear(): Promise<Lease> {
    const held = await (await pool()).take();
    const { client } = held;
    client.on("notification", ({ payload }) => {
      if (payload === tenant) for (const listener of audience) listener();
    });
    client.on("end", lose);
    await client.query(`LISTEN ${channel}`);
    return held;
  }

  function lose(): void {
    lease = undefined;
    if (audience.size > 0 && !isClosed) setTimeout(listenIfWanted, tryAgainMs).unref();
  }

  function listenIfWanted(): void {
    if (audience.size === 0 || isClosed) return;
    lease ??= hear();
    lease.catch(lose);
  }

  async function stopListening(): Promise<void> {
    const held = await lease?.catch(() => undefined);
    lease = undefined;
    // A listening connection does not go back to the pool, because its next user would receive these notifications.
    held?.release(true);
  }

  const notify = async (client: Client): Promise<void> => {
    await client.query({ text: "SELECT pg_notify($1, $2)", values: [channel, tenant] });
  };

  /** Sends a hint after a commit's calls have been answered, so that the answers do not wait for it. */
  async function sendOwed(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (owed && !isClosed) {
      owed = false;
      const { client, release } = await (await pool()).take();
      await notify(client).then(
        () => release(),
        () => release(true),
      );
    }
  }

  return {
    /** Sends one hint for all commits since the last one. */
    tell(): void {
      owed = true;
      sending ??= sendOwed()
        .catch(() => {})
        .finally(() => {
          sending = undefined;
        });
    },
    listen(onHint: () => void): () => void {
      audience.add(onHint);
      listenIfWanted();
      return () => {
        audience.delete(onHint);
        if (audience.size > 0) return;
        leaving = stopListening();
        leaving.catch(() => {});
      };
    },
    async close(): Promise<void> {
      isClosed = true;
      audience.clear();
      await closeInTurn([() => sending, () => leaving, stopListening]);
    },
  };
}
