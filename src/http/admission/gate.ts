import type { IncomingMessage } from "node:http";
import type { Clock } from "../../kernel/clock.ts";
import type { IdentifyPeer } from "../connection/peer-uid.ts";
import { type Admission, admit } from "./admission.ts";
import type { AdmissionPolicy } from "./admission-policy.ts";

export type Gate = (req: IncomingMessage) => Promise<Admission>;

type WrongTries = {
  /** Seconds until this peer may try again, or 0 if it may try now. */
  pauseSeconds(peer: string): number;
  note(peer: string): void;
};

type WrongTriesOptions = {
  readonly triesPerMinute: number;
  readonly maxPeers: number;
  readonly clock: Clock;
};

const windowMs = 60_000;

/**
 * Remembers when each peer last sent wrong tokens. If there are too many peers, forgets the one that has been
 * quiet longest.
 */
export function createWrongTries({ triesPerMinute, maxPeers, clock }: WrongTriesOptions): WrongTries {
  const triesByPeer = new Map<string, number[]>();

  return {
    pauseSeconds(peer) {
      const tries = triesByPeer.get(peer) ?? [];
      const [oldest] = tries;
      if (oldest === undefined || tries.length < triesPerMinute) return 0;
      const elapsed = clock().getTime() - oldest;
      // Setting the clock back must not lock a peer out for hours.
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

export type GateOptions = {
  readonly policy: AdmissionPolicy;
  readonly wrongTries: WrongTries;
  readonly identifyPeer: IdentifyPeer;
  /** True if this server listens on every address of `localhost`. */
  readonly ownsLocalhost?: () => boolean;
};

/** Collects what `admit` needs to know about a live request, and remembers wrong tokens. */
export function createGate(options: GateOptions): Gate {
  const { policy, wrongTries, identifyPeer, ownsLocalhost = () => true } = options;
  return async (req) => {
    const { socket } = req;
    const peerAddress = socket.remoteAddress;
    const localPort = socket.localPort;
    const { isOurUid, key: peer } = await identifyPeer(socket);
    const admission = admit(
      {
        rawHeaders: req.rawHeaders,
        method: req.method ?? "",
        target: req.url ?? "",
        peerAddress,
        peer,
        localPort,
        peerIsOurUid: isOurUid,
        ownsLocalhost: ownsLocalhost(),
        tokenPauseSeconds: wrongTries.pauseSeconds(peer),
      },
      policy,
    );
    if (admission.outcome === "refused" && admission.code === "TOKEN_WRONG") wrongTries.note(peer);
    return admission;
  };
}
