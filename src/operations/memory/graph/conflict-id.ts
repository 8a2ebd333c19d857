import * as z from "zod";

export const conflictId = z
  .string()
  .regex(/^CONFLICT-[0-9a-f]{32}$/, "CONFLICT- and 32 hexadecimal digits")
  .describe("CONFLICT-… as graph_merge and graph_conflicts name it.");
