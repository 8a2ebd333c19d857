import { Console } from "node:console";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { Server } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { claimStdout, serveStdio } from "./serve-stdio.ts";

const textOf = (stream: PassThrough) => String(stream.read() ?? "");

test("only frames reach stdout, and all other output reaches stderr", async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const frames = claimStdout({ stdout, stderr });
  expect(stdout.write("from a library\n")).toBe(true);
  new Console(stdout).log("from a console");
  stdout.end("last words\n");
  await new Promise((resolve) => frames.write("frame\n", resolve));
  expect(textOf(stdout)).toBe("frame\n");
  expect(textOf(stderr)).toBe("from a library\nfrom a console\nlast words\n");
});

test("calls the callbacks of rerouted writers", async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  claimStdout({ stdout, stderr });
  await new Promise<void>((resolve) => void stdout.write("x", () => resolve()));
  await new Promise<void>((resolve) => void stdout.write("x", "utf8", () => resolve()));
  await new Promise<void>((resolve) => void stdout.end(resolve));
  await new Promise<void>((resolve) => void stdout.end("x", () => resolve()));
});

test("an unread stderr does not delay writes to stdout", async () => {
  const stderr = new Writable({ highWaterMark: 1, write: () => {} });
  const stdout = new PassThrough();
  claimStdout({ stdout, stderr });
  stderr.write("stuck for ever");
  await new Promise<void>((resolve) => void stdout.write("x", () => resolve()));
  await new Promise<void>((resolve) => void stdout.end("x", () => resolve()));
});

test("a frame is written once stdout has accepted it, and waiting frames are counted", async () => {
  const taken: (() => void)[] = [];
  const stdout = new Writable({ highWaterMark: 4, write: (_chunk, _encoding, done) => taken.push(done) });
  const frames = claimStdout({ stdout, stderr: new PassThrough() });
  const written: string[] = [];
  frames.write("first", () => written.push("first"));
  expect(frames.write("x".repeat(100_000), () => written.push("second"))).toBe(false);
  expect(frames.writableLength).toBe(100_005);
  expect(written).toEqual([]);
  const drained = once(frames, "drain");
  taken.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toEqual(["first"]);
  taken.shift()?.();
  await drained;
  expect(written).toEqual(["first", "second"]);
});

test("an error on stdout becomes an error of the frames, and one on stderr is ignored", async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const frames = claimStdout({ stdout, stderr });
  stderr.destroy(new Error("no one logs"));
  const failed = once(frames, "error");
  stdout.destroy(Object.assign(new Error("gone"), { code: "EPIPE" }));
  expect(await failed).toMatchObject([{ code: "EPIPE" }]);
});

test("ends if it was asked to stop before it began to serve", async () => {
  const input = new PassThrough();
  await serveStdio({
    factory: () => new Server({ name: "stopped", version: "0" }),
    updates: () => Promise.reject(new Error("no one subscribes")),
    stop: AbortSignal.abort(),
    onError: () => {},
    streams: { input, output: new PassThrough() },
  });
  expect(input.destroyed).toBe(true);
});
