import type { Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { ErrorAnswer } from "../framing/error-answer.ts";

type FrameWriter = {
  /** Resolves when the frame has left us, or when nobody is left to read it. */
  write(message: JSONRPCMessage | ErrorAnswer): Promise<void>;
  /** Resolves when every frame written so far has. */
  flush(): Promise<void>;
  unreadBytes(): number;
};

type FrameWriterEvents = { onDrain: () => void; onBroken: (error: Error | undefined) => void };

export function createFrameWriter(output: Writable, { onDrain, onBroken }: FrameWriterEvents): FrameWriter {
  const waiting = new Set<() => void>();
  let broken = false;
  let lastWrite = Promise.resolve();

  // A destroyed stream need not call back its pending writes.
  function breakOff(error?: Error): void {
    if (broken) return;
    broken = true;
    for (const resolve of waiting) resolve();
    waiting.clear();
    onBroken(error);
  }

  output.on("error", breakOff);
  output.on("close", () => breakOff());
  output.on("drain", onDrain);

  return {
    write(message) {
      const frame = `${JSON.stringify(message)}\n`;
      if (broken) return Promise.resolve();
      lastWrite = new Promise((resolve) => {
        waiting.add(resolve);
        output.write(frame, () => {
          waiting.delete(resolve);
          resolve();
        });
      });
      return lastWrite;
    },
    flush: () => lastWrite,
    unreadBytes: () => output.writableLength,
  };
}
