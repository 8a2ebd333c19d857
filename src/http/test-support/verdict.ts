import { admit, type InboundRequest } from "../admission/admission.ts";
import { type AdmissionSettings, createAdmissionPolicy } from "../admission/admission-policy.ts";

export const token = "the-right-token-0123456789";
export const right = `Bearer ${token}`;

export type Vector = {
  /** As in `rawHeaders`. */
  readonly headers?: readonly string[];
  /** A Host of localhost is added, unless `headers` contains one or this is `none`. */
  readonly host?: "none";
  readonly from?: Partial<Omit<InboundRequest, "rawHeaders">>;
  readonly settings?: Partial<AdmissionSettings>;
};

export function decide({ headers = [], host, from = {}, settings = {} }: Vector) {
  const namesHost = headers.some((text, at) => at % 2 === 0 && text.toLowerCase() === "host");
  const request: InboundRequest = {
    rawHeaders: namesHost || host === "none" ? headers : ["Host", "localhost:1731", ...headers],
    method: "POST",
    target: "/mcp",
    peerAddress: "127.0.0.1",
    peer: "uid 1000",
    localPort: 1731,
    peerIsOurUid: true,
    ownsLocalhost: true,
    tokenPauseSeconds: 0,
    ...from,
  };
  return admit(request, createAdmissionPolicy({ auth: "auto", token, ...settings }));
}

/** Returns the verdict as one line for a table. */
export function verdict(vector: Vector): string {
  const admission = decide(vector);
  if (admission.outcome === "preflight") return `preflight for ${admission.corsOrigin}`;
  if (admission.outcome === "refused") return `${admission.status} ${admission.code}`;
  return `${admission.how}, ${admission.mayRunCells ? "cells" : "no cells"}`;
}
