import { hash } from "node:crypto";

/** The one-shot `hash` takes a little over half the time of `createHash` for texts of a thought's size. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}
