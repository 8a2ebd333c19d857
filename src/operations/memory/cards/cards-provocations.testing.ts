import {
  atOnce,
  brokenStore,
  nobody,
  onCards,
  type Provocations,
  type Provoke,
  refused,
} from "../../../../tests/catalogue/provoke.ts";
import { situations } from "../../../../tests/support/situations.ts";
import { createTestApp } from "../../../../tests/support/test-app.ts";
import { cardTypes } from "../../../domain/memory/cards/card.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";

/** The refusals that all tools for writing one card share. */
const oneCard = (type: string): Partial<Record<ErrorCode, Provoke>> => ({
  INVALID_PAYLOAD: atOnce({ card: {} }),
  UNKNOWN_ID: atOnce({ card: "x", branch: "nowhere" }),
  CONFLICT: onCards({ card: { id: "CARD-1", type, title: "Another" } }),
  STORAGE_ERROR: brokenStore,
});

export const provocations: Provocations = {
  think_template: { INVALID_PAYLOAD: atOnce({ type: "idea" }) },
  think_card: oneCard("note"),
  think_pipeline: {
    INVALID_PAYLOAD: atOnce({ status: { decision: "accepted" } }),
    UNKNOWN_ID: atOnce({ frame: "x", branch: "nowhere" }),
    CONFLICT: onCards({ frame: { id: "CARD-1", title: "Another" } }),
    STORAGE_ERROR: brokenStore,
  },
  ...Object.fromEntries(cardTypes.map((type) => [`think_add_${type}`, oneCard(type)])),
  think_import: {
    SESSION_NOT_FOUND: atOnce({ sessionId: nobody }),
    INVALID_PAYLOAD: atOnce({ sessionId: nobody, branch: `session/${nobody}` }),
    UNKNOWN_ID: onThoughts({ branch: "nowhere" }),
    STORAGE_ERROR: brokenStore,
  },
};

/** Calls the operation on a session with thoughts. */
function onThoughts(args: Record<string, unknown>): Provoke {
  return async (name, backend) => {
    const prepare = situations["a session with thoughts"];
    if (!prepare) throw new Error("there is no such situation");
    const { client, sessionId } = await prepare(createTestApp({ backend }));
    return refused(client, name, { sessionId, ...args });
  };
}
