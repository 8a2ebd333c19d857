import { Writable } from "node:stream";

type StandardStreams = { stdout: Writable; stderr: Writable };

/**
 * Takes stdout for frames alone: whatever else writes there from now on, console.log or a library,
 * reaches stderr. Stays in force for the life of the process.
 */
export function claimStdout({ stdout, stderr }: StandardStreams = process): Writable {
  const writeToStdout = stdout.write.bind(stdout);
  const frames = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => {
      writeToStdout(chunk, encoding, done);
    },
  });
  stdout.on("error", (error) => frames.destroy(error));
  stdout.on("close", () => frames.destroy());
  // A log line that nobody takes is lost; it must not take the server with it.
  stderr.on("error", () => {});

  const writeToStderr = stderr.write.bind(stderr) as (...args: unknown[]) => boolean;
  stdout.write = (...args: unknown[]) => {
    writeToStderr(...args);
    // Never "wait": the "drain" that a waiting writer listens for would come from stderr, not from here.
    return true;
  };
  stdout.end = (...args: unknown[]) => {
    const [lastChunk] = args;
    if (typeof lastChunk === "function") lastChunk();
    else if (lastChunk !== undefined) writeToStderr(...args);
    return stdout;
  };
  return frames;
}
