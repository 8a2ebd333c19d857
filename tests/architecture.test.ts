import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { catalogue } from "../src/operations/catalogue.ts";
import { type Import, importsOf, sourceFiles, withoutComments } from "./support/sources.ts";

const root = join(import.meta.dirname, "..");

type Room = {
  /** Parts that this one may import, besides itself. */
  rooms: readonly string[];
  /** Parts whose types this one may import. */
  types?: readonly string[];
  /** Packages it may import. */
  packages?: readonly string[];
  /** Node modules that this part may import. Default: all. */
  node?: readonly string[];
};

const adapter: Room = { rooms: ["kernel", "disk", "domain", "ports"] };
const door: Room = { rooms: ["kernel", "http", "operations"], types: ["ports"], packages: ["zod"] };

/** The table in ARCHITECTURE.md. Subfolders of storage are separate parts. */
const rooms: Record<string, Room> = {
  kernel: { rooms: [], node: ["node:crypto"] },
  disk: { rooms: [] },
  domain: { rooms: ["kernel"], packages: ["zod"], node: [] },
  ports: { rooms: ["kernel"], types: ["domain"], node: [] },
  operations: { rooms: ["kernel", "domain", "ports"], packages: ["zod"] },
  storage: {
    ...adapter,
    rooms: [...adapter.rooms, "storage/rows", "storage/memory"],
    packages: ["zod", "@photostructure/sqlite", "pg"],
  },
  events: adapter,
  git: adapter,
  runner: { ...adapter, packages: ["esbuild"] },
  hook: { rooms: ["kernel", "disk", "domain", "operations"] },
  lsp: { rooms: ["kernel", "domain", "operations"] },
  connect: { ...adapter, packages: ["jsonc-parser", "smol-toml"] },
  http: { rooms: ["kernel", "disk"], types: ["ports"] },
  mcp: { ...door, packages: ["zod", "@modelcontextprotocol/server"] },
  observatory: { ...door, rooms: [...door.rooms, "domain"], packages: ["ws"] },
  cli: door,
  capture: { rooms: ["kernel", "domain", "operations"], types: ["ports", "disk"] },
  library: { rooms: ["kernel", "domain", "operations"], packages: ["zod"] },
  config: { rooms: ["kernel", "disk", "domain", "ports"], packages: ["zod"] },
};

const configFiles = [
  "config.ts",
  "config-file.ts",
  "git-project.ts",
  "unknown-settings.ts",
  "setting-kinds.ts",
  "settings.ts",
];

/** The files that connect everything. */
const compositionFiles = ["app.ts", "open-store.ts", "recall-alone.ts", "serve.ts"];

/** Returns a file's part: `storage/sqlite`, `kernel`, `app` … or `undefined` if it belongs to none. */
function roomOf(file: string): string | undefined {
  const [first = "", second = "", third] = relative(join(root, "src"), file).split(sep);
  if (second === "") {
    const name = first.replace(/\.(?:test|testing)\.ts$/, ".ts");
    if (configFiles.includes(name)) return "config";
    if (first === "library.ts" || first === "hook.ts") return "main";
    if (compositionFiles.includes(first)) return "app";
    return first === "main.ts" ? "main" : undefined;
  }
  if (!Object.hasOwn(rooms, first)) return undefined;
  return first === "storage" && third !== undefined ? `${first}/${second}` : first;
}

/** Returns the files beside the code that only tests use. */
const isForTests = (file: string): boolean => /\.(?:test|testing)\.ts$|\/test-support\//.test(file);

const sources = sourceFiles(join(root, "src")).map((file) => ({
  file,
  name: relative(root, file).split(sep).join("/"),
  room: roomOf(file),
  forTests: isForTests(file),
  text: readFileSync(file, "utf8"),
}));
type Source = (typeof sources)[number];
const product = sources.filter(({ forTests }) => !forTests);

/** Returns why a source may not import this module, or `undefined` if it may. */
function objection(source: Source, { specifier, typeOnly }: Import): string | undefined {
  const { room = "", file, forTests } = source;
  if (room === "app" || room === "main") return undefined;
  const rule = rooms[room.split("/")[0] ?? ""];
  if (!rule) return `${room} is no room`;
  if (specifier.startsWith("node:"))
    return forTests || !rule.node || rule.node.includes(specifier) ? undefined : `${room} may not use it`;
  if (!specifier.startsWith(".")) {
    const known = rule.packages?.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    return known || forTests ? undefined : `${room} may not use this package`;
  }
  const target = join(dirname(file), specifier);
  if (relative(join(root, "src"), target).startsWith("..")) return forTests ? undefined : "outside src";
  const other = roomOf(target);
  if (other === room) return undefined;
  if (other === "app" && forTests) return undefined;
  if (other !== undefined && rule.rooms.includes(other)) return undefined;
  if (other !== undefined && rule.types?.includes(other))
    return typeOnly ? undefined : `${room} may import only types of ${other}`;
  return `${room} may not import ${other ?? "a file without a room"}`;
}

function offences(among: readonly Source[], pattern: RegExp): string[] {
  return among.flatMap(({ name, text }) => (pattern.test(withoutComments(text)) ? [name] : []));
}

const inRoom = (...names: string[]): Source[] =>
  product.filter(({ room }) => names.includes(room?.split("/")[0] ?? ""));

describe("the checker itself", () => {
  test("finds the source files of every room", () => {
    expect(product.length).toBeGreaterThan(80);
    for (const room of ["kernel", "domain", "ports", "operations", "storage", "events", "http", "mcp", "cli"])
      expect(inRoom(room).length, room).toBeGreaterThan(0);
    expect(product.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(300);
  });

  test("finds every kind of import", () => {
    const text = [
      'import { a, type B } from "./one.ts";',
      "import {",
      "  type C,",
      "  type D,",
      '} from "./two.ts";',
      'import type { E } from "./three.ts";',
      'import "./four.ts";',
      'export { f } from "./five.ts";',
      'export * from "./six.ts";',
      'const seven = await import("./seven.ts");',
      'type Eight = typeof import("./eight.ts");',
      'const nine = require("nine");',
      "const ten = await import(computed);",
      'import * as eleven from "eleven";',
    ].join("\n");
    const seen = Object.fromEntries(importsOf(text).map(({ specifier, typeOnly }) => [specifier, typeOnly]));
    expect(seen).toEqual({
      "./one.ts": false,
      "./two.ts": true,
      "./three.ts": true,
      "./four.ts": false,
      "./five.ts": false,
      "./six.ts": false,
      "./seven.ts": false,
      "./eight.ts": false,
      nine: false,
      computed: false,
      eleven: false,
    });
  });

  test.each([
    ["src/kernel/a.ts", "../domain/ledger/limits.ts"],
    ["src/kernel/a.ts", "node:fs"],
    ["src/domain/ledger/a.ts", "node:crypto"],
    ["src/domain/ledger/a.ts", "../../ports/content.ts"],
    ["src/operations/init/a.ts", "../../storage/sqlite/rows.ts"],
    ["src/operations/init/a.ts", "@modelcontextprotocol/server"],
    ["src/storage/sqlite/a.ts", "../files/content-files.ts"],
    ["src/storage/sqlite/a.ts", "../../events/thought-log.ts"],
    ["src/events/a.ts", "../runner/sandbox.ts"],
    ["src/http/a.ts", "../operations/perform.ts"],
    ["src/http/a.ts", "../ports/content.ts"],
    ["src/mcp/a.ts", "../storage/sqlite/rows.ts"],
    ["src/mcp/a.ts", "../cli/run.ts"],
    ["src/cli/a.ts", "../app.ts"],
    ["src/library/a.ts", "../app.ts"],
    ["src/library/a.ts", "../storage/sqlite/rows.ts"],
    ["src/config.ts", "./app.ts"],
    ["src/mcp/a.ts", "../../tests/support/test-app.ts"],
    ["src/mcp/a.ts", "computed"],
  ])("objects if %s imports %s", (name, specifier) => {
    const file = join(root, name);
    const source = { file, name, room: roomOf(file), forTests: false, text: "" };
    expect(objection(source, { specifier, typeOnly: false })).toBeDefined();
  });
});

test("the table in ARCHITECTURE.md lists the same rooms and imports", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const [, table = ""] = /^\| room \| may import \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const told = table.split("\n").flatMap((row) => {
    const [, names = "", imports = ""] = row.split("|").map((cell) => cell.trim());
    return names
      .split(", ")
      .flatMap((name) => (Object.hasOwn(rooms, name) ? [[name, imports] as const] : []));
  });
  const inWords = ({ rooms: whole, types = [] }: Room) =>
    [...whole, ...types.map((name) => `${name} (types only)`)].sort().join(", ") || "no other room";
  expect(
    Object.fromEntries(told.map(([name, imports]) => [name, imports.split(", ").sort().join(", ")])),
  ).toEqual(Object.fromEntries(Object.entries(rooms).map(([name, room]) => [name, inWords(room)])));
});

test("no room may use a package that is not installed", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const allowed = new Set(Object.values(rooms).flatMap(({ packages = [] }) => packages));
  expect(allowed.size).toBeGreaterThan(3);
  expect([...allowed].filter((name) => !(name in { ...dependencies, ...devDependencies }))).toEqual([]);
});

test("contract tests name no adapter, because tests/support/stores opens their stores", () => {
  const contract = sourceFiles(join(root, "tests", "contract"));
  expect(contract.length).toBeGreaterThan(15);
  const strays = contract.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const imported = importsOf(text).filter(({ specifier }) =>
      /storage\/|raw-database|sqlite|postgres/.test(specifier),
    );
    const named = /(?:open\w*|storeKind|backend: )\(?"(?:memory|fs|postgres)"/.exec(text)?.[0];
    return imported.length > 0 || named
      ? [`${relative(root, file)}: ${named ?? imported[0]?.specifier}`]
      : [];
  });
  expect(strays).toEqual([]);
});

test("every file of src belongs to a room", () => {
  expect(sources.filter(({ room }) => room === undefined).map(({ name }) => name)).toEqual([]);
});

test("every file imports only from the allowed rooms", () => {
  const strays = sources.flatMap((source) =>
    importsOf(source.text).flatMap((imported) => {
      const problem = objection(source, imported);
      return problem ? [`${source.name} imports ${imported.specifier}: ${problem}`] : [];
    }),
  );
  expect(strays).toEqual([]);
});

test("every relative import names a file that exists, with its extension", () => {
  const known = new Set(sources.map(({ name }) => name));
  const dangling = product.flatMap(({ name, text }) =>
    importsOf(text).flatMap(({ specifier }) => {
      const target = posix.join(posix.dirname(name), specifier);
      return specifier.startsWith(".") && target.startsWith("src/") && !known.has(target)
        ? [`${name} imports ${specifier}`]
        : [];
    }),
  );
  expect(dangling).toEqual([]);
});

test("only app.ts, open-store.ts and recall-alone.ts name adapters", () => {
  const adapters = /^src\/(?:storage|events|runner)\//;
  const naming = product.filter(({ name, text }) =>
    importsOf(text).some(({ specifier }) => {
      const target = posix.join(posix.dirname(name), specifier);
      return specifier.startsWith(".") && adapters.test(target) && !adapters.test(name);
    }),
  );
  expect(naming.map(({ name }) => name)).toEqual(["src/app.ts", "src/open-store.ts", "src/recall-alone.ts"]);
});

test("only the two entries and tests import app.ts, and nothing imports the entries", () => {
  const importers = (wanted: string) =>
    sources.filter(({ name, text }) =>
      importsOf(text).some(({ specifier }) => posix.join(posix.dirname(name), specifier) === wanted),
    );
  const ofApp = importers("src/app.ts").filter(({ forTests }) => !forTests);
  expect(ofApp.map(({ name }) => name)).toEqual(["src/library.ts", "src/main.ts"]);
  for (const part of ["open-store", "serve"])
    expect(importers(`src/${part}.ts`).every(({ room }) => room === "app")).toBe(true);
  expect(["main", "library", "hook"].flatMap((entry) => importers(`src/${entry}.ts`))).toEqual([]);
});

test("the domain uses neither the clock nor randomness", () => {
  const unpredictable =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bMath\.random\b|\bperformance\b|\brandomUUID\b/;
  expect("new Date()").toMatch(unpredictable);
  expect("new Date(0)").not.toMatch(unpredictable);
  expect(inRoom("domain").length).toBeGreaterThan(0);
  expect(offences(inRoom("domain"), unpredictable)).toEqual([]);
});

test("operations do not use the process", () => {
  const processUse = /\bprocess\s*[.?[]|"node:process"/;
  expect("process.cwd()").toMatch(processUse);
  expect(offences(inRoom("operations", "domain", "kernel", "ports"), processUse)).toEqual([]);
});

test("every function of a port is called by the program, not only by tests", () => {
  const memberPattern = /^ {2}(\w+)\??[(<]/gm;
  const members = inRoom("ports").flatMap(({ name, text }) =>
    [...withoutComments(text).matchAll(memberPattern)].map(([, member]) => ({ port: name, member })),
  );
  const callers = product
    .filter(({ room }) => room !== "ports")
    .map(({ text }) => withoutComments(text))
    .join("\n");
  /** Returns whether code uses `store.member`, or `{ member }: Store` and `{ member } = store`. */
  const isCalled = (member = "", text = callers) =>
    new RegExp(`\\.${member}\\b|\\{[^{}]*\\b${member}\\b[^{}:]*\\}(?::| =)`).test(text);
  for (const call of ["store.read(1)", "({ read, write }: Store) =>", "const { read } = store;"])
    expect(isCalled("read", call), call).toBe(true);
  for (const adapter of ["read: (id) => id,", "async read(id) {", "return { read, write };"])
    expect(isCalled("read", adapter), adapter).toBe(false);
  expect(members.length).toBeGreaterThan(150);
  expect(members.filter(({ member }) => !isCalled(member))).toEqual([]);
});

test("only config.ts and the hook read the environment", () => {
  const environment = /\bprocess\s*(?:\.|\?\.)\s*env\b|\bprocess\s*\[|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/;
  expect("const { env } = process").toMatch(environment);
  // The hook is a separate small program, because loading the settings would take too long.
  expect(offences(product, environment)).toEqual(["src/config.ts", "src/hook.ts"]);
});

describe("lower layers use no words of the surface", () => {
  const below = inRoom("kernel", "disk", "domain", "ports", "storage", "events", "runner");
  /** Words such as `open` or `search` can mean anything, but these names can only be operations. */
  const unmistakable = catalogue.map(({ name }) => name).filter((name) => /[._]/.test(name));
  const named = (names: readonly string[]) =>
    new RegExp(`["'\`](?:${names.map((name) => name.replace(".", "\\.")).join("|")})["'\`]`);
  const asOperation = new RegExp(`operation: ${named(catalogue.map(({ name }) => name)).source}`);

  test("the checker recognises such words", () => {
    expect(below.length).toBeGreaterThan(200);
    expect(unmistakable.length).toBeGreaterThan(80);
    expect('{ operation: "open" }').toMatch(asOperation);
    expect('"tasks_radar"').toMatch(named(unmistakable));
  });

  test("rules and adapters fail with a reason and facts, not with messages", () => {
    const words = /\bnew ThoughtboxError\b|\brecovery:/;
    expect(offences(below, words)).toEqual(["src/kernel/errors.ts"]);
  });

  test("rules and adapters name no operation", () => {
    // A table in the store and the formats of trace entries have the same names as operations.
    expect(offences(below, named(unmistakable)).sort()).toEqual([
      "src/domain/memory/cards/decide-cards.ts",
      "src/domain/memory/dump-tables.ts",
      "src/domain/memory/sequential.ts",
      "src/storage/memory/rows/write-graph.ts",
      "src/storage/postgres/connection/schema.ts",
    ]);
    expect(offences(below, asOperation)).toEqual([]);
  });
});

test("no literal is spread into another, because the type checker would miss an extra field", () => {
  const spread = /\.\.\.\{/;
  expect("{ ...{ id, title }, tags }").toMatch(spread);
  expect(offences(sources, spread)).toEqual([]);
});

test("no folder in src has more than twenty files", () => {
  const counts = new Map<string, number>();
  for (const { name } of sources) counts.set(posix.dirname(name), (counts.get(posix.dirname(name)) ?? 0) + 1);
  expect(counts.size).toBeGreaterThan(50);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});

test("no folder in tests has more than twenty files, apart from pictures", () => {
  const foldersBelow = (directory: string): string[] => {
    const entries = readdirSync(directory, { withFileTypes: true });
    const below = entries.filter((entry) => entry.isDirectory() && !notCounted.includes(entry.name));
    return [directory, ...below.flatMap(({ name }) => foldersBelow(join(directory, name)))];
  };
  const notCounted = ["node_modules", "pictures"];
  const filesIn = (directory: string) =>
    readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  const folders = foldersBelow(join(root, "tests"));
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => filesIn(folder).length > 20)).toEqual([]);
});

describe("each file covers one subject", () => {
  const importers = new Map(product.map(({ name }) => [name, new Set<string>()]));
  for (const { name, text } of product)
    for (const { specifier } of importsOf(text))
      importers.get(posix.join(posix.dirname(name), specifier))?.add(name);
  const linesOf = (text: string) => text.split("\n").length - 1;

  test("half of the files have at most 110 lines, nine in ten at most 250, and none over 450", () => {
    const lengths = product.map(({ text }) => linesOf(text)).sort((a, b) => a - b);
    const at = (share: number) => lengths[Math.floor((lengths.length - 1) * share)];
    expect(at(0.5)).toBeLessThanOrEqual(110);
    expect(at(0.9)).toBeLessThanOrEqual(250);
    expect(product.filter(({ text }) => linesOf(text) > 450).map(({ name }) => name)).toEqual([]);
  });

  test("at most forty files have fewer than forty lines and are imported only by one sibling", () => {
    const tiny = product.filter(({ name, text }) => {
      const [only, ...others] = importers.get(name) ?? [];
      if (only === undefined || others.length > 0 || linesOf(text) >= 40) return false;
      return posix.dirname(only) === posix.dirname(name);
    });
    expect(tiny.length, tiny.map(({ name }) => name).join("\n")).toBeLessThanOrEqual(40);
  });
});

test("only the policy finds and masks secrets, and all other code calls it", () => {
  const others = product.filter(
    ({ name, text }) =>
      !name.startsWith("src/kernel/secrets/") &&
      importsOf(text).some(({ specifier }) => specifier.endsWith("secrets/secrets.ts")),
  );
  expect(others.map(({ name }) => name)).toEqual([]);
  const adapters = inRoom("storage", "runner").filter(({ text }) =>
    importsOf(text).some(({ specifier }) => specifier.includes("kernel/secrets/")),
  );
  expect(adapters.map(({ name }) => name)).toEqual([]);
  expect(offences(product, /secrets === "(?:off|warn|redact)"/)).toEqual([]);
});

test("only validation clamps limits", () => {
  const clamping = offences(inRoom("operations"), /LIMIT_CLAMPED/);
  expect(clamping).toEqual(["src/operations/pipeline/validation/validate.ts"]);
});

test("only the shared fields describe pages by offset", () => {
  expect(offences(inRoom("operations"), /hasMore: [\w.]*offset \+/)).toEqual([
    "src/operations/pipeline/fields.ts",
  ]);
});
