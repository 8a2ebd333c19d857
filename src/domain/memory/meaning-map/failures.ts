import { defineFailures } from "../../../kernel/errors.ts";

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

export const anchorFailure = defineFailures<AnchorFailures>({
  unknown_anchor: "UNKNOWN_ID",
  anchor_incomplete: "INVALID_PAYLOAD",
  anchor_taken: "CONFLICT",
  anchor_cycle: "INVALID_PAYLOAD",
  invalid_anchor: "INVALID_PAYLOAD",
});
