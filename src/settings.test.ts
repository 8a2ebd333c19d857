import { expect, test } from "vitest";
import { settings } from "./settings.ts";

test("declares no variable and no key twice", () => {
  const variables = settings.flatMap(({ variable }) => variable ?? []);
  expect(variables.length).toBeGreaterThan(20);
  expect(new Set(variables).size).toBe(variables.length);
  expect(new Set(settings.map(({ key }) => key)).size).toBe(settings.length);
});

test.each(settings)(
  "$key: the default matches the schema and the description fits a table cell",
  (setting) => {
    expect(setting.schema.parse(setting.default)).toEqual(setting.default);
    expect(setting.describe).toMatch(/^[A-Z`][^|\n]{5,109}$/);
  },
);

test.each(settings)("$key: the refusal does not contain a generic message", (setting) => {
  const refused = setting.schema.safeParse({ not: "a setting" });
  expect(refused.error?.issues[0]?.message).not.toMatch(/invalid/i);
});
