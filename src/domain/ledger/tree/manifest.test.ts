import { describe, expect, test } from "vitest";
import { runAtOnce } from "../../../kernel/steps.ts";
import { createThoughtIndex } from "../chain/thought-index.ts";
import type { SessionRecord } from "../session.ts";
import { isSameSession, type Manifest, parseOwnManifest, renderManifest, toManifest } from "./manifest.ts";
import { readManifest } from "./manifest-claims.ts";

const id = "0b0c8a5e-6f0e-4a56-9d43-0a4c0f1d2e3f";
const record: SessionRecord = {
  session: {
    id,
    title: "Why?",
    description: "",
    tags: ["auth"],
    project: "shop",
    status: "abandoned",
    thoughtCount: 3,
    branchCount: 1,
    partitionPath: "2025-12",
    createdAt: "2025-12-07T08:00:00.000Z",
    updatedAt: "2025-12-07T09:00:00.000Z",
    lastAccessedAt: "2025-12-07T10:00:00.000Z",
  },
  state: { stage: 2, domain: "debugging", navigation: { task: "t" } },
};

function manifestAt(time: string, more: Partial<SessionRecord["session"]> = {}) {
  const index = createThoughtIndex(id);
  index.add({ position: 1, address: { thoughtNumber: 1 } });
  index.add({ position: 2, address: { thoughtNumber: 1000 } });
  index.add({ position: 3, address: { branchId: "alt", thoughtNumber: 2 }, fork: { thoughtNumber: 1 } });
  const facts = {
    record: { ...record, session: { ...record.session, ...more } },
    head: { length: 3, hash: "ab".repeat(32) },
    critiques: { length: 0 },
    index,
  };
  return runAtOnce(toManifest(facts, new Date(time)));
}
const noon = "2025-12-07T12:00:00.000Z";

describe("a manifest", () => {
  test("has the fields of both earlier formats", () => {
    const manifest = JSON.parse(runAtOnce(renderManifest(manifestAt(noon))));
    expect(manifest).toMatchObject({
      version: "1.0",
      id,
      session: { id, title: "Why?", thoughtCount: 3, status: "active" },
      metadata: {
        title: "Why?",
        tags: ["auth"],
        createdAt: record.session.createdAt,
        updatedAt: record.session.updatedAt,
      },
      thoughtFiles: ["001.json", "1000.json"],
      branchFiles: { alt: ["002.json"] },
      branches: { alt: ["002.json"] },
      integrity: { checksum: "ab".repeat(32), lastValidated: noon },
    });
  });

  test("is read back with everything that the session needs", () => {
    const { id: _id, partitionPath: _partition, thoughtCount: _t, branchCount: _b, ...told } = record.session;
    expect(runAtOnce(readManifest(runAtOnce(renderManifest(manifestAt(noon)))))).toEqual({
      id,
      ...told,
      status: "active",
      handle: record.state,
      head: "ab".repeat(32),
    });
  });

  test("reveals the loss or change of any byte", () => {
    const text = runAtOnce(renderManifest(manifestAt(noon)));
    expect(runAtOnce(parseOwnManifest(text))).toBeDefined();
    for (let at = 0; at < text.length; at += 1) {
      const flipped = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
      expect(runAtOnce(parseOwnManifest(flipped)), `byte ${at}`).toBeUndefined();
      expect(runAtOnce(parseOwnManifest(text.slice(0, at))), `cut at ${at}`).toBeUndefined();
    }
  });

  test("is the same whatever the time of writing or last access, and differs after a change", () => {
    const manifest = manifestAt(noon);
    const isSame = (other: Manifest): boolean => runAtOnce(isSameSession(manifest, other));
    expect(isSame(manifestAt("2026-01-01T00:00:00.000Z", { lastAccessedAt: noon }))).toBe(true);
    expect(isSame(manifestAt(noon, { title: "Because" }))).toBe(false);
    expect(isSame({ ...manifest, handle: { stage: 3, navigation: {} } })).toBe(false);
  });
});

describe("manifests of earlier versions", () => {
  test("can contain metadata beside the files", () => {
    const old = {
      id,
      version: "1.0.0",
      thoughtFiles: ["001.json"],
      branchFiles: {},
      metadata: {
        title: "Old",
        description: null,
        tags: ["a"],
        createdAt: "2025-01-01T00:00:00+01:00",
        updatedAt: "2025-01-02",
      },
    };
    expect(runAtOnce(readManifest(JSON.stringify(old)))).toEqual({
      id,
      title: "Old",
      tags: ["a"],
      createdAt: "2024-12-31T23:00:00.000Z",
      updatedAt: "2025-01-02T00:00:00.000Z",
    });
  });

  test("can contain a session", () => {
    const old = {
      version: "1.0",
      session: { id, title: "Old", tags: [], lastAccessedAt: "2025-01-03T00:00:00Z" },
      branches: {},
      integrity: { checksum: "md5" },
    };
    expect(runAtOnce(readManifest(JSON.stringify(old)))).toEqual({
      id,
      title: "Old",
      tags: [],
      lastAccessedAt: "2025-01-03T00:00:00.000Z",
    });
  });

  test("are read as empty if they contain nonsense", () => {
    expect(runAtOnce(readManifest("{"))).toBeUndefined();
    expect(runAtOnce(readManifest("[]"))).toBeUndefined();
    const odd = {
      id: 7,
      session: "none",
      metadata: { title: ["x"], tags: "a,b", createdAt: "soon" },
      handle: { stage: 9 },
    };
    expect(runAtOnce(readManifest(JSON.stringify(odd)))).toEqual({});
  });
});
