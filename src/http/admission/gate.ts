import type { IncomingMessage } from "node:http";
import type { IdentifyPeer } from "../connection/peer-uid.ts";
import { type Admission, admit } from "./admission.ts";
import type { AdmissionPolicy } from "./admission-policy.ts";
import type { WrongTries } from "./wrong-tries.ts";

export type Gate = (req: IncomingMessage) => Promise<Admission>;

export type GateOptions = {
  readonly policy: AdmissionPolicy;
  readonly wrongTries: WrongTries;
  readonly identifyPeer: IdentifyPeer;
};

/** Gathers what `admit` needs to know about a live request and remembers what came of it. */
export function createGate({ policy, wrongTries, identifyPeer }: GateOptions): Gate {
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
        localPort,
        peerIsOurUid: isOurUid,
        tokenPauseSeconds: wrongTries.pauseSeconds(peer),
      },
      policy,
    );
    if (admission.outcome === "refused" && admission.code === "TOKEN_WRONG") wrongTries.note(peer);
    return admission;
  };
}
