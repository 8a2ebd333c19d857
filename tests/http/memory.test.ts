import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { openRaw, type RawClient } from "../../src/http/test-support/raw-client.ts";
import { type HttpProcess, spawnHttpServer } from "../support/http-process.ts";
import { jsonHeaders, modernRequest, openLegacySession } from "../support/mcp-http.ts";
import { tempDir } from "../support/temp-dir.ts";

const megabyte = 1024 * 1024;
/** A session takes about 14 KB, so leaking all sessions would take 14 MB. Heap noise stays below 2 MB. */
const allowedGrowth = 8 * megabyte;

const reportHeap = new URL("./report-heap.mjs", import.meta.url).href;

function serveWatched(): Promise<HttpProcess> {
  return spawnHttpServer(tempDir(), {}, ["--expose-gc", "--import", reportHeap]);
}

async function heapOf({ child }: HttpProcess): Promise<number> {
  const report = once(child, "message");
  child.send("heap?");
  return Number((await report)[0]);
}

async function openAndAbandon(server: HttpProcess, sessions: number): Promise<void> {
  for (let opened = 0; opened < sessions; opened += 1) await openLegacySession(server.url);
}

const { body, headers } = modernRequest(1, "tools/list");
const call = [
  "POST /mcp HTTP/1.1",
  "Host: localhost",
  ...Object.entries({ ...jsonHeaders, ...headers }).map(([name, value]) => `${name}: ${value}`),
  `Content-Length: ${JSON.stringify(body).length}`,
].join("\r\n");

/** Retries until the server has noticed that the earlier clients disconnected. */
async function callAndStay(port: number, from: string): Promise<RawClient> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const client = await openRaw(port, "127.0.0.1", from);
    client.send(`${call}\r\n\r\n${JSON.stringify(body)}`);
    const answered = await client.until("thoughtbox_gateway").then(
      () => true,
      () => false,
    );
    if (answered) return client;
  }
  throw new Error("the door stays full");
}

/** Opens as many connections as the server accepts, 32 per address. All are answered before the first one closes. */
async function fillTheDoor({ url }: HttpProcess): Promise<void> {
  const clients = await Promise.all(
    Array.from({ length: 256 }, (_, index) =>
      callAndStay(Number(url.port), `127.0.0.${2 + Math.floor(index / 32)}`),
    ),
  );
  for (const { socket } of clients) socket.destroy();
}

describe("memory does not grow", () => {
  test("during 1,000 legacy sessions that are opened and abandoned", async () => {
    const server = await serveWatched();
    // Fill the table first, so that its maximum size does not count as growth.
    await openAndAbandon(server, 256);
    const before = await heapOf(server);
    await openAndAbandon(server, 1_000);
    expect((await heapOf(server)) - before).toBeLessThan(allowedGrowth);
  });

  test("during repeated rounds of 256 concurrent connections", async () => {
    const server = await serveWatched();
    await fillTheDoor(server);
    const before = await heapOf(server);
    for (let round = 0; round < 3; round += 1) await fillTheDoor(server);
    expect((await heapOf(server)) - before).toBeLessThan(allowedGrowth);
  });
});
