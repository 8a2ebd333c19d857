import type { Writable } from "node:stream";
import type { LineTarget } from "./line-writer.ts";

/** Lines for whoever reads stdout or stderr. Lines for a reader who has left count as written: no retry brings one back. */
export function createStreamTarget(stream: Writable): LineTarget {
  let readerLeft = false;
  let letGo = () => {};

  // A destroyed stream need not call back the write under way.
  function giveUp(): void {
    readerLeft = true;
    letGo();
  }
  stream.on("error", giveUp);
  stream.on("close", giveUp);

  return {
    write: (lines) =>
      new Promise((resolve) => {
        letGo = () => resolve(lines.length);
        if (readerLeft) letGo();
        else stream.write(lines.join(""), letGo);
      }),
    close: async () => {},
  };
}
