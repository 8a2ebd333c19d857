import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

type Entry = {
  version: string;
  integrity?: string;
  optional?: true;
  dev?: true;
  os?: string[];
  cpu?: string[];
};

describe.each(["", "tests", "bench"])("the packages of ./%s", (folder) => {
  const lock: [string, Entry][] = Object.entries(read(join(folder, "package-lock.json")).packages);
  const packages = lock.filter(([path]) => path !== "");

  test("have exact versions", () => {
    const { dependencies = {}, devDependencies = {} } = read(join(folder, "package.json"));
    const versions = Object.entries<string>({ ...dependencies, ...devDependencies });
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  });

  test("have a digest, except optional builds of tools for other platforms", () => {
    expect(packages.length).toBeGreaterThan(50);
    const unchecked = packages.filter(([, { integrity }]) => integrity === undefined);
    const excused = ({ optional, dev, os, cpu }: Entry) => optional && dev && (os ?? cpu) !== undefined;
    expect(unchecked.filter(([, entry]) => !excused(entry)).map(([path]) => path)).toEqual([]);
  });
});

test("the project's installation runs no install scripts of packages", () => {
  expect(readFileSync(join(root, "scripts", "prepare.mjs"), "utf8")).toContain('"--ignore-scripts"');
});
