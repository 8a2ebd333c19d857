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
  // Nobody waits for stderr, which a client need not read: neither for "drain" nor for a callback, on which
  // the end of the process may hang.
  const reroute = (args: unknown[]): void => {
    const callback = args.find((arg) => typeof arg === "function") as (() => void) | undefined;
    const [chunk, encoding] = args.filter((arg) => typeof arg !== "function");
    if (chunk !== undefined) writeToStderr(chunk, encoding);
    if (callback) process.nextTick(callback);
  };
  stdout.write = (...args: unknown[]) => {
    reroute(args);
    return true;
  };
  stdout.end = (...args: unknown[]) => {
    reroute(args);
    return stdout;
  };
  return frames;
}
