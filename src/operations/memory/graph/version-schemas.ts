import * as z from "zod";
import type { GraphVersion } from "../../../domain/memory/graph.ts";

const stamp = { deleted: z.boolean().optional(), last_seq: z.int(), last_ts_ms: z.int().optional() };
const meta = z.record(z.string(), z.unknown()).optional();

export const nodeSchema = z.strictObject({
  id: z.string(),
  type: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  status: z.string().optional(),
  tags: z.array(z.string()).optional(),
  meta,
  ...stamp,
});

export const edgeSchema = z.strictObject({
  from: z.string(),
  rel: z.string(),
  to: z.string(),
  meta,
  ...stamp,
});

/** As the tools show it: without `kind`, without fields that are empty. */
export function showVersion(version: GraphVersion): Record<string, unknown> {
  const { kind: _kind, ...shown } = version;
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

export const stubNode = ({ id, type, title, status, last_seq }: Record<string, unknown>) => ({
  id,
  type,
  ...(title !== undefined && { title }),
  ...(status !== undefined && { status }),
  last_seq,
});
