import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ThoughtboxError } from "../../src/kernel/errors.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { validate } from "../../src/operations/pipeline/validation/validate.ts";
import { fencedBlocks } from "../docs/markdown.ts";
import { forAll } from "../support/for-all.ts";
import { shareTestApp, startThinking } from "../support/test-app.ts";

type Node = Record<string, any>;

const shapeOf = (operation: Operation): [field: string, schema: Node][] =>
  Object.entries((z.toJSONSchema(operation.input, { io: "input" }) as Node)["properties"]);

const fields = catalogue.flatMap((operation) =>
  shapeOf(operation).map(([field, schema]) => ({ name: `${operation.name}.${field}`, schema })),
);

test("a cursor's description names the end at which its list starts", () => {
  const forward = [
    ...["merge.cursor", "graph_merge.cursor", "graph_conflicts.cursor"],
    ...["tasks_context.plans_cursor", "tasks_context.tasks_cursor"],
  ];
  const described = fields.filter(({ schema }) =>
    String(schema["description"]).includes("next_cursor from the"),
  );
  const saying = (end: string) =>
    described.filter(({ schema }) => schema["description"].includes(end)).map(({ name }) => name);
  expect(saying("the oldest").sort()).toEqual(forward.sort());
  expect(saying("the newest")).toEqual(
    expect.arrayContaining(["show.cursor", "graph_diff.cursor", "log.cursor"]),
  );
  expect(saying("the newest").filter((name) => forward.includes(name))).toEqual([]);
});

describe("defaults", () => {
  const withDefault = fields.filter(({ schema }) => schema["default"] !== undefined);

  test("there are some", () => expect(withDefault.length).toBeGreaterThan(50));

  test("are named in the description of their field", () => {
    const silent = withDefault.filter(({ schema }) => {
      const words = String(schema["description"]).toLowerCase();
      const value = schema["default"];
      const said = typeof value === "object" ? "default" : String(value).toLowerCase();
      return !words.includes("default") || !words.includes(said);
    });
    expect(
      silent.map(
        ({ name, schema }) => `${name} (${JSON.stringify(schema["default"])}): ${schema["description"]}`,
      ),
    ).toEqual([]);
  });
});

test("operations on one kind of note do not mention the other kind", () =>
  forAll(
    catalogue.filter(({ name }) => /^knowledge\..*(?:pattern|scratchpad)/.test(name)),
    ({ name }) => name,
    (operation) => {
      const other = operation.name.includes("pattern") ? /scratchpad/i : /pattern/i;
      const told = shapeOf(operation).map(([field, { description }]) => `${field}: ${description}`);
      expect([operation.summary, ...told].filter((words) => other.test(words))).toEqual([]);
    },
  ));

/** Zod's own messages, which appear if an operation defines none. */
const foreign =
  /Invalid (input|option|string|key|element|value|format|number|type)|Too (small|big)|Unrecognized|expected .* received|Required$|to be (<=?|>=?)|must match pattern|\bNaN\b|\[object /;

/** Values that are wrong for most fields, each in a different way. */
const wrong: readonly unknown[] = [
  ...["", " ", "?", "\u0001", "x".repeat(5_000), "-1", "1.5", "[1", '{"a":'],
  ...[-1, 0, 1.5, 1e15, 1e300, true, false],
  ...[[], [1], [""], [[]], [{}], [null], [true], Array.from({ length: 300 }, () => "x")],
  ...[{}, { id: 1 }, { id: "x", kind: 3, other: [] }, { a: { b: [] } }],
];

function refusals(operation: Operation): string[] {
  const fields = shapeOf(operation).map(([field]) => field);
  const calls = [...fields.flatMap((field) => wrong.map((value) => ({ [field]: value }))), {}, { zzz: 1 }];
  return calls.flatMap((args) => {
    try {
      validate(operation, args);
      return [];
    } catch (thrown) {
      if (!(thrown instanceof ThoughtboxError)) throw thrown;
      return [`${thrown.message} ${JSON.stringify(thrown.details ?? {})}`];
    }
  });
}

describe("messages about invalid arguments", () => {
  test("are recognised if they are Zod's", () => {
    const { error } = z.strictObject({ a: z.int().min(1), b: z.enum(["x"]) }).safeParse({ a: 0, b: 1, c: 1 });
    for (const { message } of error?.issues ?? []) expect(message).toMatch(foreign);
    expect(error?.issues).toHaveLength(3);
  });

  test("are Thoughtbox's own in every operation", () =>
    forAll(
      catalogue,
      ({ name }) => name,
      (operation) => {
        const said = refusals(operation);
        expect(said.length).toBeGreaterThan(5);
        expect(said.filter((words) => foreign.test(words))).toEqual([]);
      },
    ));
});

describe("calls in the pages of help", () => {
  const folder = fileURLToPath(new URL("../../content/help", import.meta.url));
  const calls = readdirSync(folder).flatMap((page) =>
    fencedBlocks(readFileSync(join(folder, page), "utf8"), "json")
      .flatMap(({ text }) => text.trim().split("\n"))
      .filter((line) => !/<(?!id>)/.test(line))
      .map((line) => [page, line] as const),
  );
  const client = shareTestApp({ backend: "memory" }).modern();
  /** Starts a session with enough thoughts that every thought number on a help page exists. */
  async function begin(): Promise<string> {
    const sessionId = await startThinking(client);
    for (let n = 1; n <= 10; n += 1) await client.call("thought", { sessionId, thought: `step ${n}` });
    return sessionId;
  }

  test("there are some", () => expect(calls.length).toBeGreaterThan(20));

  test("have all required arguments", async () => {
    const sessionId = await begin();
    await forAll(
      calls,
      ([page, line]) => `${page} ${line}`,
      async ([, line]) => {
        const reply = await client.reply(
          "thoughtbox_gateway",
          JSON.parse(line.replaceAll("<id>", sessionId)),
        );
        if (reply.kind === "error") expect(reply.error.code).not.toBe("INVALID_PAYLOAD");
      },
    );
  });
});
