import {
  atOnce,
  brokenStore,
  nobody,
  onCards,
  type Provocations,
} from "../../../../tests/catalogue/provoke.ts";

const words = { title: "Pool of 20", chosen: "20", because: "Enough." };

export const provocations: Provocations = {
  decide: {
    INVALID_PAYLOAD: onCards({ ...words, reverses: ["CARD-1"] }),
    UNKNOWN_ID: atOnce({ ...words, reverses: ["DEC-0000000000"] }),
    SESSION_NOT_FOUND: atOnce({ ...words, sessionId: nobody }),
    STORAGE_ERROR: brokenStore,
  },
  decisions: { INVALID_PAYLOAD: atOnce({ since: "lately" }), STORAGE_ERROR: brokenStore },
};
