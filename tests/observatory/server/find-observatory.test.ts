import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createApp } from "../../../src/app.ts";
import { readConfig } from "../../../src/config.ts";
import { tempDir } from "../../support/temp-dir.ts";

const health = JSON.stringify({ status: "ok", viewers: 0, workspace: "shop", store: "another" });

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function openApp() {
  const dataDir = tempDir();
  const config = readConfig({ env: { THOUGHTBOX_STORAGE: "memory", THOUGHTBOX_DATA_DIR: dataDir } });
  const contentDir = join(import.meta.dirname, "..", "content");
  const app = createApp({ config, version: "0.0.0-test", contentDir, log: () => {} });
  onTestFinished(() => app.close());
  return { app, dataDir };
}

test("a redirect to an Observatory is not followed", async () => {
  const { app } = openApp();
  const asked: string[] = [];
  const shown = await serve((request, response) => {
    asked.push(String(request.url));
    response.end(health);
  });
  const other = await serve((request, response) => {
    response.writeHead(307, { location: `${shown}${request.url}` }).end();
  });
  expect(await app.isObservatory(other)).toBe(false);
  expect(asked).toEqual([]);
  expect(await app.isObservatory(shown)).toBe("another store");
});

test("all noted Observatories are asked concurrently", async () => {
  const { app, dataDir } = openApp();
  const folder = join(dataDir, "run", "observatories");
  mkdirSync(folder, { recursive: true });
  const waiting: (() => void)[] = [];
  for (const name of ["a", "b", "c"]) {
    const url = await serve((_request, response) => {
      waiting.push(() => response.end(health));
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ url }));
  }
  expect(await app.findObservatory()).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});
