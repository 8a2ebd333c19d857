import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultProject, slugProject } from "./project.ts";

test.each([
  ["shop", "shop"],
  ["Shop_2.0-beta", "Shop_2.0-beta"],
  ["_default", "_default"],
  ["  padded  ", "padded"],
  ["Ada's shop", "Ada-s-shop"],
  ["a / b \\ c", "a-b-c"],
  ["../../etc/passwd", "etc-passwd"],
  ["..", defaultProject],
  [".", defaultProject],
  ["...", defaultProject],
  [".git", "git"],
  ["-rf", "rf"],
  ["trailing...", "trailing"],
  ["trailing-", "trailing"],
  ["", defaultProject],
  ["*", defaultProject],
  ["x".repeat(200), "x".repeat(64)],
  [`${"x".repeat(63)}-y`, "x".repeat(63)],
  ["café", "caf"],
  ["a\0b", "a-b"],
])("%j becomes %j", (name, project) => {
  expect(slugProject(name)).toBe(project);
});

test("any text becomes a name that is safe as a folder, and stays what it became", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 120 }), (name) => {
      const project = slugProject(name);
      expect(project).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/);
      expect(slugProject(project)).toBe(project);
    }),
  );
});
