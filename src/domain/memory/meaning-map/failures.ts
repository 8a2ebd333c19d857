import { type ErrorCode, failure, type ThoughtboxError } from "../../../kernel/errors.ts";

type InWorkspace = { workspace: string };

/** Why the map of anchors refuses something, and what the words about it need. */
export type AnchorFailures = {
  unknown_anchor: InWorkspace & { anchor: string };
  /** A new anchor needs these. */
  anchor_incomplete: { anchor: string; missing: readonly string[] };
  /** The name belongs to another anchor. */
  anchor_taken: InWorkspace & { anchor: string; holder: string; from: string };
  anchor_cycle: InWorkspace & { anchor: string; parent: string };
  /** `problem` is a sentence about `field`. */
  invalid_anchor: { problem: string; kind: string; field: string };
};

const codes = {
  unknown_anchor: "UNKNOWN_ID",
  anchor_incomplete: "INVALID_PAYLOAD",
  anchor_taken: "CONFLICT",
  anchor_cycle: "INVALID_PAYLOAD",
  invalid_anchor: "INVALID_PAYLOAD",
} as const satisfies Record<keyof AnchorFailures, ErrorCode>;

export function anchorFailure<Reason extends keyof AnchorFailures>(
  reason: Reason,
  facts: AnchorFailures[Reason],
): ThoughtboxError {
  return failure(codes[reason], reason, facts);
}
