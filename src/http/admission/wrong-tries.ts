import type { Clock } from "../../kernel/clock.ts";

export type WrongTries = {
  /** Seconds until this peer's next try is read; 0 when it may try now. */
  pauseSeconds(peer: string): number;
  note(peer: string): void;
};

export type WrongTriesOptions = {
  readonly triesPerMinute: number;
  readonly maxPeers: number;
  readonly clock: Clock;
};

const windowMs = 60_000;

/** Remembers the last wrong tries of each peer; a full memory forgets the peer that was quiet longest. */
export function createWrongTries({ triesPerMinute, maxPeers, clock }: WrongTriesOptions): WrongTries {
  const triesByPeer = new Map<string, number[]>();

  return {
    pauseSeconds(peer) {
      const tries = triesByPeer.get(peer) ?? [];
      const [oldest] = tries;
      if (oldest === undefined || tries.length < triesPerMinute) return 0;
      const elapsed = clock().getTime() - oldest;
      // A clock set back must not lock a peer out for hours.
      return elapsed < 0 || elapsed >= windowMs ? 0 : (windowMs - elapsed) / 1000;
    },
    note(peer) {
      const tries = [...(triesByPeer.get(peer) ?? []), clock().getTime()].slice(-triesPerMinute);
      triesByPeer.delete(peer);
      triesByPeer.set(peer, tries);
      const [quietest] = triesByPeer.keys();
      if (triesByPeer.size > maxPeers && quietest !== undefined) triesByPeer.delete(quietest);
    },
  };
}
