import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settings } from "../../src/settings.ts";
import { spawnHttpServer } from "../support/http-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = join(import.meta.dirname, "..", "..");
const read = (name: string) => readFileSync(join(root, name), "utf8");
const variables = new Set(settings.map(({ variable }) => variable));

type Step = { verb: string; rest: string };

/** Lines without comments. A line that ends with a backslash continues. */
const steps: readonly Step[] = read("Dockerfile")
  .replace(/^\s*#.*\n/gm, "")
  .replace(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [, verb = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { verb, rest };
  });
const last = steps.slice(steps.map(({ verb }) => verb).lastIndexOf("FROM"));
const of = (verb: string, among: readonly Step[] = last): string[] =>
  among.filter((step) => step.verb === verb).map(({ rest }) => rest);

describe("the Dockerfile", () => {
  test("has only instructions that Docker knows, and two stages", () => {
    const known =
      /^(?:FROM|WORKDIR|COPY|RUN|USER|ENV|VOLUME|EXPOSE|HEALTHCHECK|STOPSIGNAL|ENTRYPOINT|CMD|ARG|LABEL)$/;
    for (const { verb } of steps) expect(verb).toMatch(known);
    expect(of("FROM", steps)).toEqual([
      expect.stringMatching(/ AS build$/),
      expect.not.stringMatching(/ AS /),
    ]);
    for (const copied of of("COPY")) expect(copied).toMatch(/^--from=build \//);
  });

  test("copies files that exist and are not ignored", () => {
    const ignored = read(".dockerignore").split("\n");
    const needed = [
      "package.json",
      "package-lock.json",
      "src",
      "scripts",
      "ui",
      "content",
      "plugin",
      "sandbox",
    ];
    for (const name of needed) {
      expect(existsSync(join(root, name)), name).toBe(true);
      expect(ignored).not.toContain(name);
    }
  });

  test("runs as a user other than root, listens on every address, and requires a token", () => {
    expect(of("USER").at(-1)).toBe("node");
    const env = Object.fromEntries((of("ENV")[0] ?? "").split(" ").map((pair) => pair.split("=")));
    expect(env).toMatchObject({ HOST: "0.0.0.0", THOUGHTBOX_AUTH: "token", THOUGHTBOX_LOG: "json" });
    for (const name of Object.keys(env)) expect(variables, name).toContain(name);
    expect(of("EXPOSE")).toEqual([env["PORT"]]);
    expect(of("VOLUME")).toEqual([env["THOUGHTBOX_DATA_DIR"]]);
  });

  test("has a health check that passes with a server and fails without one", async () => {
    const [, list = "[]"] = /CMD (\[.*\])$/.exec(of("HEALTHCHECK")[0] ?? "") ?? [];
    const [command, ...args] = JSON.parse(list) as string[];
    expect(command).toBe("node");
    const ask = (port: string) =>
      spawnSync(process.execPath, args, { env: { PATH: process.env["PATH"], PORT: port } }).status;
    const { url } = await spawnHttpServer(tempDir());
    expect(ask(url.port)).toBe(0);
    expect(ask("9")).toBe(1);
  });
});

test("compose.yaml sets existing variables, requires its secrets, and listens only on this machine", () => {
  const text = read("compose.yaml");
  const named = [...text.matchAll(/^ {6}([A-Z_]+): (.*)$/gm)].map(([, name = "", value]) => ({
    name,
    value,
  }));
  const ours = named.filter(({ name }) => !name.startsWith("POSTGRES_"));
  expect(ours.length).toBeGreaterThan(2);
  for (const { name } of ours) expect(variables, name).toContain(name);
  for (const secret of ["THOUGHTBOX_TOKEN", "POSTGRES_PASSWORD"])
    expect(text).toContain(`\${${secret}:?set ${secret}}`);
  expect([...text.matchAll(/"([\d.]+):\d+:\d+"/g)].map(([, address]) => address)).toEqual(["127.0.0.1"]);
});
