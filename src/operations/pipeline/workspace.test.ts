import { expect, test } from "vitest";
import { workspacePattern } from "../../domain/memory/limits.ts";
import { workspaceAfter } from "./workspace.ts";

test("has the name of its project, and is called default without a project", () => {
  expect(["shop", "Shop_2.0-beta", "_default"].map(workspaceAfter)).toEqual([
    "shop",
    "Shop_2.0-beta",
    "default",
  ]);
});

test("is different for every project", () => {
  const projects = ["shop", "_shop", "__shop", "_-shop", "_default", "default", "__default", "_", "__", "_."];
  const workspaces = projects.map(workspaceAfter);
  expect(new Set(workspaces).size).toBe(projects.length);
  for (const workspace of [...workspaces, workspaceAfter(`_${"x".repeat(63)}`)])
    expect(workspace).toMatch(workspacePattern);
});
