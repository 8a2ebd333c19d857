import { expect, test } from "vitest";
import { fileTree } from "./file-tree.ts";

const outline = (...paths: string[]) =>
  fileTree(paths).map(({ depth, name, files }) => `${" ".repeat(depth)}${name} ${files.length}`);

test("files are an outline with folders first, without the folders that all of them share", () => {
  expect(outline("/home/ada/shop/b.md", "/home/ada/shop/src/web/x.ts", "/home/ada/shop/src/a.ts")).toEqual([
    "src 2",
    " web 1",
    "  x.ts 1",
    " a.ts 1",
    "b.md 1",
  ]);
  expect(outline("src/a.ts")).toEqual(["a.ts 1"]);
  expect(outline()).toEqual([]);
});
