import * as z from "zod";
import type { Branch } from "../../../domain/memory/steps/outcomes.ts";

export const branchSchema = z.strictObject({
  name: z.string(),
  base_branch: z.string().nullable().optional(),
  base_seq: z.int().nullable().optional(),
  created_at_ms: z.int().optional(),
  deleted_at_ms: z.int().optional(),
});

export const stubBranch = ({ name }: Record<string, unknown>) => ({ name });

export const showBranch = ({
  name,
  base_branch,
  base_seq,
  created_at_ms,
  deleted_at_ms,
}: Branch): Branch => ({
  name,
  base_branch,
  base_seq,
  created_at_ms,
  ...(deleted_at_ms !== undefined && { deleted_at_ms }),
});
