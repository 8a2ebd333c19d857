import { describe, expect, test } from "vitest";
import { dependenciesOf, parsePackageSpec, withDependencies } from "./cell-content.ts";

test.each([
  ["zod", "zod", "latest"],
  ["zod@4", "zod", "4"],
  ["zod@^4.0.0", "zod", "^4.0.0"],
  ["@types/node@>=20 <23", "@types/node", ">=20 <23"],
  ["left-pad@1.2.x || 2.0.0-beta.1", "left-pad", "1.2.x || 2.0.0-beta.1"],
  ["a@1.0.0 - 2.0.0", "a", "1.0.0 - 2.0.0"],
  ["a@latest", "a", "latest"],
])("%s is a registry package", (spec, name, range) => {
  expect(parsePackageSpec(spec)).toEqual({ name, range });
});

test.each([
  "",
  "./folder",
  "../folder",
  "/etc",
  "~/x",
  "a@file:../x",
  "file:../x",
  "a@link:../x",
  "a@workspace:*",
  "a@npm:b@1",
  "git+ssh://git@example.com/a.git",
  "a@git+https://example.com/a.git",
  "github:user/repo",
  "user/repo",
  "a@user/repo",
  "https://example.com/a.tgz",
  "a@https://example.com/a.tgz",
  "a@b.tgz",
  "a@next",
  "A",
  "a b",
  "--registry=x",
  ".npmrc",
  "a@1 --registry=x",
  "a@",
  `a@${"1".repeat(200)}`,
])("refuses to install %j", (spec) => {
  expect(() => parsePackageSpec(spec)).toThrow(expect.objectContaining({ code: "INVALID_PAYLOAD" }));
});

describe("a package.json cell", () => {
  test("lists its dependencies", () => {
    const source = '{"dependencies":{"a":"1"},"devDependencies":{"b":"^2"},"scripts":{"postinstall":"x"}}';
    expect(dependenciesOf(source)).toEqual([
      { name: "a", range: "1" },
      { name: "b", range: "^2" },
    ]);
  });

  test("accepts more packages and keeps the other members", () => {
    const source = withDependencies('{"name":"mine","dependencies":{"z":"1","b":"1"}}', [
      { name: "b", range: "^2" },
    ]);
    expect(JSON.parse(source)).toEqual({ name: "mine", dependencies: { b: "^2", z: "1" } });
  });

  test.each([
    "[]",
    "1",
    "{",
    '{"dependencies":[]}',
    '{"dependencies":{"a":1}}',
    '{"dependencies":{"a":"git://x"}}',
  ])("%s is refused", (source) => {
    expect(() => dependenciesOf(source)).toThrow(expect.objectContaining({ code: "INVALID_PAYLOAD" }));
  });
});
