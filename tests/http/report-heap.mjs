// Preloaded into the server under test. Answers every message with the heap size after a full collection.
process.on("message", () => {
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc();
  process.send?.(process.memoryUsage().heapUsed);
});
// Waiting for messages must not keep the process alive.
process.channel?.unref();
