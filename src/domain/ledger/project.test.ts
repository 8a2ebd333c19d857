import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { defaultProject, slugProject } from "./project.ts";

test.each([
  ["shop", "shop"],
  ["Shop_2.0-beta", "Shop_2.0-beta"],
  ["_default", "_default"],
  ["  padded  ", "padded"],
  ["", defaultProject],
  ["*", defaultProject],
])("%j becomes %j", (name, project) => {
  expect(slugProject(name)).toBe(project);
});

test.each([
  ["Ada's shop", "Ada-s-shop"],
  ["a / b \\ c", "a-b-c"],
  ["../../etc/passwd", "etc-passwd"],
  ["..", "project"],
  [".", "project"],
  [".git", "git"],
  ["-rf", "rf"],
  ["trailing...", "trailing"],
  ["trailing-", "trailing"],
  ["x".repeat(200), "x".repeat(53)],
  ["a\0b", "a-b"],
  ["проект", "project"],
  ["задача 2", "2"],
  ["東京-api", "api"],
  ["🚀", "project"],
  ["café", "caf"],
  ["C++", "C"],
  [`${"x".repeat(80)}日本`, "x".repeat(53)],
])("%j keeps its valid part (%j) and gets a suffix", (name, start) => {
  const project = slugProject(name);
  expect(project).toMatch(new RegExp(`^${start}-[0-9a-f]{10}$`));
  expect(project.length).toBeLessThanOrEqual(64);
});

test("no two names share a folder", () => {
  const names = ["a b", "a-b", "a/b", "a  b", "a_b", "a.b", "a-b.", "a-b-", "..", ".", "...", "_default"];
  expect(new Set(names.map(slugProject)).size).toBe(names.length);
});

test("distinguishes names in other scripts, and ignores how a name is encoded or padded", () => {
  const names = [
    "Müller",
    "Möller",
    "Muller",
    "C",
    "C++",
    "C#",
    "é",
    "ü",
    "e",
    "a&b",
    "a b",
    "проект",
    "задача",
    "проект 2",
    "задача 2",
    "東京",
    "京都",
    "🚀",
    "🔥",
  ];
  expect(new Set(names.map(slugProject)).size).toBe(names.length);
  expect(names.map(slugProject)).not.toContain(defaultProject);
  expect(slugProject(" й ")).toBe(slugProject("\u0438\u0306"));
});

test("turns any text into a safe folder name, which then stays the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 120 }), (name) => {
      const project = slugProject(name);
      expect(project).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/);
      expect(slugProject(project)).toBe(project);
    }),
  );
});
