import { readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, importsOf, sourceFiles } from "./support/sources.ts";

const root = join(import.meta.dirname, "..");
const ui = join(root, "ui");
const wires = [
  "wire.ts",
  "wire-live.ts",
  "wire-memory.ts",
  "wire-home.ts",
  "wire-notebooks.ts",
  "wire-files.ts",
].map((name) => join(root, "src", "observatory", name));
/** The notation and links to cells are parsed by the same code as on the server. */
const shared = ["domain/cipher/parse.ts", "domain/notebook/cell-link.ts", "kernel/text.ts"].map((name) =>
  join(root, "src", name),
);

type Room = {
  /** Parts of the application that this one may import, besides itself. */
  rooms: readonly string[];
  /** Packages it may import. */
  packages?: readonly string[];
  /** True if this part may import the types of the server's messages. */
  wire?: boolean;
  /**
   * True if this part may import the text parsers and the table of hidden characters that the server also
   * uses.
   */
  shared?: boolean;
};

const preact = ["preact", "@preact/signals"];

const pure = ["model", "text"];
const everything = [...pure, "graph", "state", "shell", "parts", "views", "styles"];

/** `shell` is the code beside the folders and below the parts: addresses, keys, commands. */
const rooms: Record<string, Room> = {
  model: { rooms: ["text"] },
  text: { rooms: [], shared: true },
  graph: { rooms: pure },
  state: { rooms: pure, packages: ["@preact/signals"], wire: true },
  shell: { rooms: [...pure, "state"], packages: ["@preact/signals"] },
  parts: { rooms: [...pure, "graph", "state", "shell"], packages: preact },
  views: { rooms: [...pure, "graph", "state", "shell", "parts"], packages: preact },
  share: { rooms: everything, packages: preact },
  sample: { rooms: ["state"] },
  app: { rooms: [...everything, "share", "sample"], packages: preact },
  bench: { rooms: [...pure, "graph", "styles"] },
};

function roomOf(file: string): string {
  const [first = "", second] = relative(ui, file).split(sep);
  if (second !== undefined) return first;
  return first === "main.tsx" || first === "app.tsx" ? "app" : "shell";
}

const isForTests = (file: string): boolean => /\.(?:test|testing)\.tsx?$/.test(file);

const sources = sourceFiles(ui)
  .filter((file) => !file.endsWith("vite.config.ts"))
  .map((file) => ({ file, name: relative(root, file), text: readFileSync(file, "utf8") }));

/** Returns why a file may not import this module, or `undefined` if it may. */
function objection(file: string, { specifier, typeOnly }: Import): string | undefined {
  const room = roomOf(file);
  const rule = rooms[room];
  if (!rule) return `${room} is no room`;
  if (!specifier.startsWith(".")) {
    const known = rule.packages?.some((name) => specifier === name || specifier.startsWith(`${name}/`));
    return known || isForTests(file) ? undefined : `${room} may not use this package`;
  }
  const target = join(dirname(file), specifier);
  if (shared.includes(target)) return rule.shared ? undefined : "only text may import what the server shares";
  if (wires.includes(target))
    return rule.wire && typeOnly ? undefined : "only state may import the wire, and only types";
  if (relative(ui, target).startsWith("..")) return "outside ui";
  const other = roomOf(target);
  // Tests of the graph draw the bench's long session.
  if (isForTests(file) && other === "bench") return undefined;
  return other === room || rule.rooms.includes(other) ? undefined : `${room} may not import ${other}`;
}

describe("the checker itself", () => {
  test("finds the source files", () => {
    expect(sources.length).toBeGreaterThan(1);
    expect(sources.flatMap(({ text }) => importsOf(text)).length).toBeGreaterThan(3);
  });

  test.each([
    ["model/a.ts", "../graph/theme.ts", false],
    ["model/a.ts", "preact", false],
    ["graph/a.ts", "preact", false],
    ["graph/a.ts", "../state/session.ts", false],
    ["state/a.ts", "../graph/camera.ts", false],
    ["state/a.ts", "../../src/observatory/wire.ts", false],
    ["parts/a.tsx", "../../src/observatory/wire.ts", true],
    ["parts/a.tsx", "../views/graph.tsx", false],
    ["views/a.tsx", "../../src/kernel/errors.ts", true],
    ["elsewhere/a.ts", "../model/columns.ts", false],
  ])("objects if ui/%s imports %s", (name, specifier, typeOnly) => {
    expect(objection(join(ui, name), { specifier, typeOnly })).toBeDefined();
  });

  test("lets state import the types of the server's messages", () => {
    const specifier = "../../src/observatory/wire.ts";
    expect(objection(join(ui, "state/a.ts"), { specifier, typeOnly: true })).toBeUndefined();
  });
});

test("every file of the application imports only from the allowed rooms", () => {
  const strays = sources.flatMap(({ file, name, text }) =>
    importsOf(text).flatMap((imported) => {
      const problem = objection(file, imported);
      return problem ? [`${name} imports ${imported.specifier}: ${problem}`] : [];
    }),
  );
  expect(strays).toEqual([]);
});

test("files of the application stay small: median 90 lines, none over 250", () => {
  const lengths = sources
    .filter(({ file }) => !isForTests(file))
    .map(({ name, text }) => ({ name, lines: text.split("\n").length - 1 }))
    .sort((a, b) => a.lines - b.lines);
  expect(lengths[Math.floor((lengths.length - 1) / 2)]?.lines).toBeLessThanOrEqual(90);
  expect(lengths.filter(({ lines }) => lines > 250)).toEqual([]);
});

test("no code writes HTML into the page", () => {
  const asHtml = /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write)\b/;
  expect("a.innerHTML = b").toMatch(asHtml);
  const offenders = sources.filter(({ text }) => asHtml.test(text));
  expect(offenders.map(({ name }) => name)).toEqual([]);
});

test("no folder in ui has more than twenty files", () => {
  const counts = new Map<string, number>();
  for (const { file } of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect(counts.size).toBeGreaterThan(10);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});
