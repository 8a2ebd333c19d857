import { setTimeout as sleep } from "node:timers/promises";
import type { Host, Terminal } from "./host.ts";
import { createProgressBar } from "./rendering/progress.ts";

const lookEveryMs = 150;

/**
 * Lets the JSON files catch up with the store, before they are compared with it or the program ends. Returns how many
 * changes are still pending, because another process writes them or they cannot be written.
 */
export async function flushFiles(terminal: Terminal, { tree }: Host): Promise<number> {
  if (!tree) return 0;
  const { pending: total } = await tree.status();
  if (total === 0) return 0;
  const bar = createProgressBar(terminal, "writing JSON files");
  const done = new AbortController();
  const ended = AbortSignal.any([done.signal, terminal.stop]);
  const watching = watch();
  try {
    await Promise.race([tree.flush(), watching]);
  } finally {
    done.abort();
    bar.end();
  }
  terminal.stop.throwIfAborted();
  return (await tree.status()).pending;

  async function watch(): Promise<void> {
    while (!ended.aborted) {
      await sleep(lookEveryMs, undefined, { signal: ended }).catch(() => {});
      if (ended.aborted || !tree) return;
      bar.update(total - (await tree.status()).pending, total);
    }
  }
}
