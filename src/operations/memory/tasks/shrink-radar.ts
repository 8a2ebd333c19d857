import { clip } from "../../../kernel/text.ts";
import type { Json } from "../../pipeline/fit/trim.ts";

/** What is now stays to the last. */
export function shrinkRadar(block: Json): Json[] {
  const { now, why, verify, next, blockers } = block as {
    now: string;
    why?: string;
    verify?: string[];
    next?: string[];
    blockers?: string[];
  };
  const few = (items: string[] | undefined, count: number, max: number) =>
    items?.slice(0, count).map((item) => clip(item, max));
  return [
    {
      now,
      why: clip(why ?? "", 300),
      verify: few(verify, 10, 200),
      next: few(next, 3, 120),
      blockers: few(blockers, 5, 120),
    },
    { now: clip(now, 200), why: clip(why ?? "", 80), verify: few(verify, 3, 80), next: few(next, 1, 60) },
    { now: clip(now, 120), verify: few(verify, 1, 40) },
    { now: clip(now, 40) },
  ];
}
