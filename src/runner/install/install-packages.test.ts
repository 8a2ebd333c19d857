import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installLimits, spareDisk } from "../limits.ts";
import { chooseLayer } from "../sandbox/choose-layer.ts";
import { knownFlags } from "../sandbox/node-flags.ts";
import { createTestRunner, type TestRunner } from "../test-runner.testing.ts";
import { openFakeRegistry } from "./fake-registry.testing.ts";
import { installPackages, readLockfile } from "./install-packages.ts";
import { openRegistryProxy } from "./registry-proxy.ts";

const { runner, run, notebookId, directory, root, close } = createTestRunner("auto");
const proof = join(root, "script-ran");
const registry = await openFakeRegistry({
  kind: {
    manifest: { type: "module", exports: "./index.js" },
    files: { "index.js": "export default 'kind';" },
  },
  scripted: { manifest: { scripts: { postinstall: `touch ${proof}`, install: `touch ${proof}` } } },
  linking: { manifest: { dependencies: { stolen: "file:/etc" } } },
  fetching: { manifest: { dependencies: { kind: "http://127.0.0.1:9/kind.tgz" } } },
  cloning: { manifest: { dependencies: { kind: "git+https://127.0.0.1:9/kind.git" } } },
});

beforeAll(() => {
  process.env["npm_config_registry"] = registry.url;
});
afterAll(async () => {
  Reflect.deleteProperty(process.env, "npm_config_registry");
  registry.close();
  await close();
});

function install(...names: string[]) {
  return installWith({ runner, notebookId }, names);
}

function installWith({ runner, notebookId }: Pick<TestRunner, "runner" | "notebookId">, names: string[]) {
  const told: string[] = [];
  const packages = names.map((name) => ({ name, range: "^1.0.0" }));
  const controls = {
    signal: new AbortController().signal,
    progress: (message: string) => told.push(message),
  };
  return runner.install({ notebookId, packages }, controls).then((result) => ({ ...result, told }));
}

describe("installing packages", () => {
  test("makes them available to cells, runs no install script, and names packages that have one", async () => {
    const { status, installed, wantedScripts, told } = await install("kind", "scripted");
    expect(status).toBe("completed");
    expect(installed).toEqual([
      { name: "kind", version: "1.0.0" },
      { name: "scripted", version: "1.0.0" },
    ]);
    expect(wantedScripts).toEqual(["scripted"]);
    expect(existsSync(proof)).toBe(false);
    expect(told).toEqual(["resolving 2 packages", "fetching 2 packages", "installed"]);
    expect(await run('import kind from "kind";\nimport other from "scripted";\n[kind, other]')).toMatchObject(
      {
        value: "[ 'kind', 'scripted' ]",
      },
    );
    expect(readdirSync(root)).toEqual([notebookId]);
  });

  test.each(["linking", "fetching", "cloning"])(
    "refuses a package with a dependency from elsewhere (%s), and keeps installed packages",
    async (name) => {
      const { status, error } = await install(name);
      expect(status).toBe("failed");
      expect(error).toBeTruthy();
      expect(existsSync(join(directory, "node_modules", "kind", "index.js"))).toBe(true);
    },
  );

  test("reports a package that does not exist", async () => {
    expect(await install("nowhere")).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/404|nowhere/),
    });
  });

  test("ignores an .npmrc and a link that a cell left", async () => {
    const decoy = await openFakeRegistry({ kind: {} });
    try {
      writeFileSync(join(directory, ".npmrc"), `registry=${decoy.url}\nignore-scripts=false\n`);
      rmSync(join(directory, "node_modules"), { recursive: true });
      symlinkSync("/etc", join(directory, "node_modules"));
      expect(await install("kind")).toMatchObject({ status: "completed" });
      expect(decoy.asked).toEqual([]);
      expect(existsSync("/etc/kind")).toBe(false);
      expect(readdirSync(join(directory, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
        "kind",
      ]);
    } finally {
      decoy.close();
    }
  });

  test("can be cancelled", async () => {
    const cancelled = AbortSignal.abort();
    const request = { notebookId, packages: [{ name: "kind", range: "1" }] };
    expect(await runner.install(request, { signal: cancelled, progress: () => {} })).toMatchObject({
      status: "failed",
      error: "The installation was cancelled.",
    });
  });
});

describe.each(["strong", "medium", "basic"] as const)("npm at %s", (level) => {
  const guarded = createTestRunner(level);
  afterAll(guarded.close);

  test("reaches the registry through our proxy, and nothing else", async (context) => {
    if ((await guarded.runner.sandbox()).level !== level) return context.skip(`no ${level} here`);
    const decoy = await openFakeRegistry({ kind: {} });
    const pointing = await openFakeRegistry({
      kind: {},
      pointing: { manifest: { dependencies: { kind: `${decoy.url}kind/-/kind-1.0.0.tgz` } } },
    });
    process.env["npm_config_registry"] = pointing.url;
    try {
      const { status, notEnforced } = await installWith(guarded, ["kind"]);
      expect(status).toBe("completed");
      expect(notEnforced.length > 0).toBe(level === "basic");
      expect(await installWith(guarded, ["pointing"])).toMatchObject({ status: "failed" });
      expect(decoy.asked).toEqual([]);
      expect(await guarded.run('import kind from "kind";\nkind')).toMatchObject({ value: "'kind'" });
    } finally {
      process.env["npm_config_registry"] = registry.url;
      decoy.close();
      pointing.close();
    }
  });
});

test("stops npm when it unpacks too much, and leaves nothing behind", async () => {
  const small = createTestRunner("auto");
  onTestFinished(small.close);
  const node = process.execPath;
  const lockdown = readFileSync("sandbox/lockdown.mjs", "utf8");
  const { layer } = await chooseLayer(
    "auto",
    node,
    knownFlags(process.allowedNodeEnvironmentFlags),
    lockdown,
  );
  if (!layer) throw new Error("No cell can run here.");
  const most = { ...installLimits, bytes: 8 * 1024 * 1024 };
  const surroundings = { node, layer, parent: small.root, directory: small.directory, most, spareDisk };
  const runner = {
    ...small.runner,
    install: (...[request, controls]: Parameters<TestRunner["runner"]["install"]>) =>
      installPackages(request, controls, surroundings),
  };
  // Small enough that npm does not refuse it as a decompression bomb.
  const block = randomBytes(1_000).toString("hex").repeat(8_000);
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`block-${at}`, block]));
  const bombs = await openFakeRegistry({ bomb: { files } });
  process.env["npm_config_registry"] = bombs.url;
  try {
    const { status, error } = await installWith({ runner, notebookId: small.notebookId }, ["bomb"]);
    expect({ status, error }).toEqual({
      status: "failed",
      error: "Nothing was installed. The packages need more than 8 MiB, or the disk is nearly full.",
    });
    expect(readdirSync(small.root)).toEqual([small.notebookId]);
  } finally {
    process.env["npm_config_registry"] = registry.url;
    bombs.close();
  }
});

test("the proxy connects only to the registry", async () => {
  const proxy = await openRegistryProxy({ registry: registry.url });
  const ask = async (text: string) => {
    const socket = connect(proxy.path);
    socket.write(text);
    const [answer] = await once(socket, "data");
    socket.destroy();
    return String(answer).split("\r\n")[0];
  };
  const { host, port } = new URL(registry.url);
  try {
    expect(await ask(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain("200");
    expect(await ask(`GET ${registry.url}kind HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain("200");
    for (const elsewhere of ["127.0.0.1:9", `localhost:${port}`, "127.0.0.1:22", "example.test:443"])
      expect(await ask(`CONNECT ${elsewhere} HTTP/1.1\r\nHost: ${elsewhere}\r\n\r\n`)).toContain("403");
    for (const url of [
      "http://127.0.0.1:9/",
      "/kind",
      `${registry.url.replace("127.0.0.1", "127.0.0.2")}kind`,
    ])
      expect(await ask(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain("403");
    expect(await ask(`PUT ${registry.url}kind HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain("403");
  } finally {
    await proxy.close();
  }
});

test.each([
  ["a link", { "node_modules/a": { version: "1.0.0", resolved: "../x", link: true } }],
  ["another host", { "node_modules/a": { version: "1.0.0", resolved: "https://elsewhere.test/a.tgz" } }],
  ["git", { "node_modules/a": { version: "1.0.0", resolved: "git+ssh://git@registry.test/a.git" } }],
  ["a path upwards", { "../a": { version: "1.0.0", resolved: "https://registry.test/a.tgz" } }],
])("refuses a plan with %s", (_what, packages) => {
  expect(readLockfile(JSON.stringify({ packages }), "https://registry.test/").refusal).toBeDefined();
});
