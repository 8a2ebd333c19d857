import * as z from "zod";

export const conflictId = z
  .string()
  .min(1)
  .max(64)
  .describe("CONFLICT-… as graph_merge and graph_conflicts name it.");
