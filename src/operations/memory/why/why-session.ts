import * as z from "zod";
import { type Address, addressSchema, nodeId } from "../../../domain/ledger/thought.ts";
import { describeNumbers } from "../../../domain/why/answer.ts";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readSession } from "../../pipeline/find-session.ts";
import { defineMemory } from "../define-memory.ts";
import { attribute, readLines } from "./blamed-file.ts";
import { findOwnRepository, findPaths, mostFiles, readEdits } from "./find-subject.ts";

type Standing = { address: Address; written: number; exist: number; files: Map<string, number[]> };

export const whySession = defineMemory({
  name: "why_session",
  title: "Show which lines still exist",
  summary:
    "For each thought in a captured session, lists the lines of code written after it that still exist.",
  effect: "read",
  anywhere: true,
  input: { sessionId: z.string().min(4).max(64).describe("Session whose lines of code to find.") },
  output: {
    sessionId: z.string(),
    /** Absent if the caller is not working in a git repository. */
    repository: z.string().optional(),
    head: z.string().optional(),
    thoughts: z.array(
      addressSchema.extend({
        id: z.string(),
        /** Number of lines written by the edits that follow this thought. */
        written: z.int(),
        /** Number of the written lines that still exist. */
        exist: z.int(),
        files: z.array(z.strictObject({ file: z.string(), lines: z.string() })),
      }),
    ),
    note: z.string().optional(),
  },
  trim: {
    list: { key: "thoughts", oldest: "first", stub: (thought) => ({ ...thought, files: [] }) },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "of a captured session",
      given: "a repository with a captured session",
      input: { sessionId: "$session" },
    },
  ],

  async handle({ sessionId: asked }, context) {
    const record = await readSession(context.ledger, context.settings, asked);
    if (!record) return refuseSession(context, asked);
    const sessionId = record.session.id;
    const repository = await findOwnRepository(context);
    if (!repository) return { sessionId, thoughts: [], note: "There is no git repository here." };
    const edits = await readEdits(context, sessionId);
    const paths = await findPaths(
      repository,
      edits.map(({ path }) => path),
    );
    const place = {
      repository: repository.root,
      ...(repository.head !== undefined && { head: repository.head }),
    };
    if (paths.length === 0)
      return {
        sessionId,
        ...place,
        thoughts: [],
        note: "This repository contains no file that the session wrote.",
      };
    const standings = new Map<string, Standing>();
    for (const { after, lines } of edits) {
      if (!after) continue;
      standingOf(after).written += lines.filter(({ written }) => written).length;
    }
    for (const path of paths.slice(0, mostFiles)) {
      const lines = await readLines(repository, path);
      const every = lines?.map((_, at) => at) ?? [];
      const attributed = lines && (await attribute(context, repository, { path, lines }, every));
      attributed?.found.forEach((one, at) => {
        const written = one?.known.places.find((known) => known.sessionId === sessionId);
        if (!written?.after) return;
        const standing = standingOf(written.after);
        standing.exist += 1;
        standing.files.set(path, [...(standing.files.get(path) ?? []), at + 1]);
      });
    }
    return {
      sessionId,
      ...place,
      thoughts: [...standings.values()].map(({ address, written, exist, files }) => ({
        ...address,
        id: nodeId(sessionId, address),
        written,
        exist,
        files: [...files].map(([file, numbers]) => ({ file, lines: describeNumbers(numbers) })),
      })),
      ...(paths.length > mostFiles && {
        note: `Only ${mostFiles} of ${paths.length} files were searched.`,
      }),
    };

    function standingOf(address: Address): Standing {
      const id = nodeId(sessionId, address);
      const standing = standings.get(id) ?? { address, written: 0, exist: 0, files: new Map() };
      standings.set(id, standing);
      return standing;
    }
  },
});

function refuseSession({ fail }: MemoryContext<"UNKNOWN_ID">, asked: string): never {
  return fail("UNKNOWN_ID", `There is no session ${quote(asked)}.`, {
    recovery: {
      hint: "Choose a captured session. See the fields of why_session and an example.",
      operation: "help",
      args: { topic: "why_session" },
    },
  });
}
