import { expect, test } from "vitest";
import { workspacePattern } from "../../domain/memory/limits.ts";
import { workspaceAfter } from "./workspace.ts";

test("a workspace is named after its project, and without a project it is called default", () => {
  expect(["shop", "Shop_2.0-beta", "_default"].map(workspaceAfter)).toEqual([
    "shop",
    "Shop_2.0-beta",
    "default",
  ]);
});

test("no two projects share a workspace", () => {
  const projects = ["shop", "_shop", "__shop", "_-shop", "_default", "default", "__default", "_", "__", "_."];
  const workspaces = projects.map(workspaceAfter);
  expect(new Set(workspaces).size).toBe(projects.length);
  for (const workspace of [...workspaces, workspaceAfter(`_${"x".repeat(63)}`)])
    expect(workspace).toMatch(workspacePattern);
});
