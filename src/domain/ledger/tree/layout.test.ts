import { describe, expect, test } from "vitest";
import { slugProject } from "../project.ts";
import {
  branchOfFolder,
  chainFolder,
  isPartition,
  parseThoughtFileName,
  sessionFolder,
  thoughtFileName,
  thoughtPath,
} from "./layout.ts";

const id = "0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f";

describe("the folder of a session", () => {
  test("below its project and partition, or right in the project without one", () => {
    expect(sessionFolder({ id, project: "shop", partitionPath: "2025-W50" })).toEqual([
      ...["projects", "shop", "sessions", "2025-W50", id],
    ]);
    expect(sessionFolder({ id, project: "_default" })).toEqual(["projects", "_default", "sessions", id]);
  });

  test.each([
    { id: "../../etc", project: "shop" },
    { id, project: ".." },
    { id, project: "a/b" },
    { id, project: "" },
    { id, project: "shop", partitionPath: "../.." },
    { id, project: "shop", partitionPath: "2025" },
  ])("names that are no folder names never become a path: %j", (place) => {
    expect(() => sessionFolder(place)).toThrow("not a valid folder name");
  });

  test("a branch has a folder of its own", () => {
    expect(chainFolder(undefined)).toEqual([]);
    expect(chainFolder("alt")).toEqual(["branches", "alt"]);
    expect(() => chainFolder("../alt")).toThrow("not a valid folder name");
  });

  test("a name that is a device on Windows is never a folder's", () => {
    expect(chainFolder("nul")).toEqual(["branches", "nul_"]);
    expect(["nul_", "alt", "alt_", "con2"].map(branchOfFolder)).toEqual(["nul", "alt", undefined, "con2"]);
    for (const name of ["con", "NUL", "com1.x", "aux.tar.gz"]) {
      expect(slugProject(name)).toMatch(/^[A-Za-z0-9-]+-[0-9a-f]{10}$/);
      expect(slugProject(slugProject(name))).toBe(slugProject(name));
    }
    expect(["console", "com", "lpt10"].map(slugProject)).toEqual(["console", "com", "lpt10"]);
  });

  test("partitions are months, weeks and days", () => {
    expect(["2025-12", "2025-W50", "2025-12-07"].every(isPartition)).toBe(true);
    expect(["2025", "2025-1", "sessions", "2025-12-07T"].some(isPartition)).toBe(false);
  });
});

describe("names of files", () => {
  test("have at least three digits and grow with the number", () => {
    expect([1, 42, 999, 1_000, 1_000_000].map(thoughtFileName)).toEqual([
      ...["001.json", "042.json", "999.json", "1000.json", "1000000.json"],
    ]);
    expect(thoughtPath({ branchId: "alt", thoughtNumber: 3 })).toBe("branches/alt/003.json");
  });

  test("are read back, padded or not", () => {
    expect(["001.json", "1.json", "0007.json", "1000000.json"].map(parseThoughtFileName)).toEqual([
      1, 1, 7, 1_000_000,
    ]);
  });

  test.each([
    "000.json",
    "1000001.json",
    "manifest.json",
    "1.JSON",
    "-1.json",
    "1.5.json",
    "001.json.tmp",
    "99999999999999999999.json",
  ])("%s is no thought", (name) => expect(parseThoughtFileName(name)).toBeUndefined());
});
