import * as z from "zod";

const rel = z.enum(["branch", "revision"]);

export const sequentialSchema = z.strictObject({
  nodes: z.array(
    z.strictObject({
      thoughtNumber: z.int(),
      seq: z.int(),
      branchId: z.string().optional(),
      isRevision: z.literal(true).optional(),
    }),
  ),
  edges: z.array(z.strictObject({ rel, from: z.int(), to: z.int(), branchId: z.string().optional() })),
  missing: z.array(z.strictObject({ rel, thoughtNumber: z.int(), referredBy: z.int() })),
});
