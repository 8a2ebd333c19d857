import { clip } from "../../../kernel/text.ts";

/** At most so many bytes, whole characters only. */
export function clipBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  let end = Math.min(text.length, max);
  while (end > 0 && Buffer.byteLength(clip(text, end)) > max)
    end -= Math.max(1, Math.floor((Buffer.byteLength(clip(text, end)) - max) / 4));
  return clip(text, Math.max(0, end));
}
