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
  test("is below its project and partition, or directly in the project without a partition", () => {
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
  ])("is refused for a name that is not valid: %j", (place) => {
    expect(() => sessionFolder(place)).toThrow("not a valid folder name");
  });

  test("contains a separate folder for each branch", () => {
    expect(chainFolder(undefined)).toEqual([]);
    expect(chainFolder("alt")).toEqual(["branches", "alt"]);
    expect(() => chainFolder("../alt")).toThrow("not a valid folder name");
  });

  test("never has the name of a Windows device", () => {
    expect(chainFolder("nul")).toEqual(["branches", "nul_"]);
    expect(["nul_", "alt", "alt_", "con2"].map(branchOfFolder)).toEqual(["nul", "alt", undefined, "con2"]);
    for (const name of ["con", "NUL", "com1.x", "aux.tar.gz"]) {
      expect(slugProject(name)).toMatch(/^[A-Za-z0-9-]+-[0-9a-f]{10}$/);
      expect(slugProject(slugProject(name))).toBe(slugProject(name));
    }
    expect(["console", "com", "lpt10"].map(slugProject)).toEqual(["console", "com", "lpt10"]);
  });

  test("can be in a partition for a month, week or day", () => {
    expect(["2025-12", "2025-W50", "2025-12-07"].every(isPartition)).toBe(true);
    expect(["2025", "2025-1", "sessions", "2025-12-07T"].some(isPartition)).toBe(false);
  });
});

describe("names of files", () => {
  test("have at least three digits", () => {
    expect([1, 42, 999, 1_000, 1_000_000].map(thoughtFileName)).toEqual([
      ...["001.json", "042.json", "999.json", "1000.json", "1000000.json"],
    ]);
    expect(thoughtPath({ branchId: "alt", thoughtNumber: 3 })).toBe("branches/alt/003.json");
  });

  test("are parsed with or without padding", () => {
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
  ])("cannot be %s", (name) => expect(parseThoughtFileName(name)).toBeUndefined());
});
