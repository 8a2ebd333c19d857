import { delimiter } from "node:path";
import { describe, expect, test } from "vitest";
import {
  flag,
  oneOf,
  origins,
  originsOrAny,
  paths,
  port,
  projectName,
  wholeNumber,
} from "./setting-kinds.ts";

describe("flag", () => {
  test.each(["true", "1", "yes", "YES", true])("reads %s as true", (value) => {
    expect(flag.parse(value)).toBe(true);
  });
  test.each(["false", "0", "no", "False", false])("reads %s as false", (value) => {
    expect(flag.parse(value)).toBe(false);
  });
  test.each(["maybe", "", 1, null, []])("refuses %j", (value) => {
    expect(flag.safeParse(value).success).toBe(false);
  });
});

describe("wholeNumber", () => {
  test("accepts digits and JSON numbers", () => {
    expect(port.parse("1731")).toBe(1731);
    expect(port.parse(0)).toBe(0);
  });
  test.each(["-1", "1e3", "0x10", "17.5", "65536", " ", true, 1.5])("refuses %j", (value) => {
    expect(wholeNumber(0, 65_535).safeParse(value).error?.issues[0]?.message).toBe(
      "a whole number from 0 to 65535",
    );
  });
});

describe("oneOf", () => {
  test("lists the allowed values in the message", () => {
    const schema = oneOf(["a", "b", "c"]);
    expect(schema.parse("b")).toBe("b");
    expect(schema.safeParse("x").error?.issues[0]?.message).toBe("a, b or c");
  });
});

describe("lists", () => {
  test("are split and trimmed without empty entries, or taken unchanged from JSON", () => {
    expect(paths.parse(`/a${delimiter}${delimiter} /b c `)).toEqual(["/a", "/b c"]);
    expect(paths.parse(["/a"])).toEqual(["/a"]);
  });
  test("of origins contain only origins with a scheme and without a path", () => {
    expect(origins.parse("https://a.example, vscode-webview://x1")).toEqual([
      "https://a.example",
      "vscode-webview://x1",
    ]);
    for (const wrong of ["a.example", "https://a.example/path", "*"]) {
      expect(origins.safeParse(wrong).success).toBe(false);
    }
    expect(originsOrAny.parse("*")).toEqual(["*"]);
  });
});

test.each([".", "..", "a/b", "-x", "", "a".repeat(65), "a\n", "con", "NUL.txt"])(
  "%j is not a project name",
  (name) => {
    expect(projectName.safeParse(name).success).toBe(false);
  },
);
