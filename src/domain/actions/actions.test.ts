import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import {
  type Edit,
  hashLine,
  packHashes,
  packLines,
  splitText,
  unpackHashes,
  unpackLines,
} from "./action.ts";
import { mapLines } from "./line-diff.ts";
import { readActions, type ToolCall, type ToolResult } from "./read-actions.ts";

const done = { text: "ok", failed: false };

function act(tool: string, input: ToolCall["input"], result: ToolResult = done) {
  return readActions({ id: "call-1", tool, command: tool, input }, result);
}

const edits = (...asked: Parameters<typeof act>): Edit[] =>
  act(...asked).flatMap((action) => (action.type === "edit" ? [action] : []));

const writtenBy = ({ lines }: Edit) => lines.flatMap(({ hash, written }) => (written ? [hash] : []));
const contextOf = ({ lines }: Edit) => lines.flatMap(({ hash, written }) => (written ? [] : [hash]));
const hashes = (...lines: string[]) => lines.map(hashLine);

describe("edits of Claude Code", () => {
  test("takes the written lines from the client's patch, not from the input", () => {
    const detail = {
      filePath: "/repo/a.ts",
      userModified: true,
      structuredPatch: [
        { oldStart: 1, newStart: 1, lines: [" const a = 1;", "-const b = 2;", "+const b = 3;"] },
        { oldStart: 40, newStart: 40, lines: ["+const z = 26;"] },
      ],
    };
    const input = { file_path: "/repo/a.ts", old_string: "const b = 2;", new_string: "const b = 2.5;" };
    const [edit] = edits("Edit", input, { ...done, detail });
    expect(edit).toMatchObject({ call: "call-1", part: 0, path: "/repo/a.ts", change: "edit" });
    expect(edit && writtenBy(edit)).toEqual(hashes("const b = 3;", "const z = 26;"));
    expect(edit && contextOf(edit)).toEqual(hashes("const a = 1;"));
    expect(edit?.removed).toEqual(hashes("const b = 2;"));
    expect(edit?.lines.map(({ begins }) => begins)).toEqual([true, false, true]);
  });

  test("compares the two texts if there is no patch", () => {
    const [edit] = edits("Edit", {
      file_path: "a.ts",
      old_string: "first\nsecond\nlast",
      new_string: "first\nsecond and a half\nlast",
    });
    expect(edit && writtenBy(edit)).toEqual(hashes("second and a half"));
    expect(edit?.removed).toEqual(hashes("second"));
  });

  test("reads every edit of a MultiEdit as a hunk", () => {
    const [edit] = edits("MultiEdit", {
      file_path: "a.ts",
      edits: [
        { old_string: "one", new_string: "eins" },
        { old_string: "two", new_string: "zwei\ndrei" },
      ],
    });
    expect(edit && writtenBy(edit)).toEqual(hashes("eins", "zwei", "drei"));
    expect(edit?.lines.map(({ begins }) => begins)).toEqual([true, true, false]);
  });

  test("reads every line of a new file as written, and a write without changes as no edit", () => {
    const [created] = edits("Write", { file_path: "a.ts", content: "a\r\nb\r\n" });
    expect(created).toMatchObject({ change: "create" });
    expect(created && writtenBy(created)).toEqual(hashes("a", "b"));
    const detail = { type: "update", filePath: "a.ts", structuredPatch: [] };
    expect(edits("Write", { file_path: "a.ts", content: "a\nb\n" }, { ...done, detail })).toEqual([]);
  });

  test("hashes a notebook cell as it is spelled in the file", () => {
    const [edit] = edits("NotebookEdit", { notebook_path: "n.ipynb", new_source: 'import os\nprint("x")' });
    expect(edit && writtenBy(edit)).toEqual(hashes('   "import os\\n",', '   "print(\\"x\\")"'));
  });

  test("reads no edit from a failed call, and keeps the user's words from a refused one", () => {
    const input = { file_path: "a.ts", old_string: "x", new_string: "y" };
    expect(act("Edit", input, { text: "String to replace not found", failed: true })).toEqual([]);
    const text =
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nkeep x";
    expect(act("Edit", input, { text, failed: true })).toMatchObject([
      { type: "refusal", said: "keep x", change: { path: "a.ts", lines: [{ hash: hashLine("y") }] } },
    ]);
  });
});

const patch = `*** Begin Patch
*** Update File: src/old.ts
*** Move to: src/new.ts
@@ function a()
 context line
-gone line
+new line
@@
+second hunk
*** Add File: b.txt
+hello
*** Delete File: c.txt
*** End Patch`;

describe("patches of Codex", () => {
  test.each([
    ["a tool with a text", "apply_patch", { command: patch }],
    ["a function", "apply_patch", { input: patch }],
    ["a shell call with words", "shell", { command: ["apply_patch", patch] }],
    ["a script", "exec_command", { cmd: `cd x && apply_patch <<'EOF'\n${patch}\nEOF` }],
  ])("are read from %s", (_how, tool, input) => {
    const [moved, added, deleted] = edits(tool, input);
    expect(moved).toMatchObject({ path: "src/new.ts", from: "src/old.ts", change: "edit" });
    expect(moved && writtenBy(moved)).toEqual(hashes("new line", "second hunk"));
    expect(moved?.removed).toEqual(hashes("gone line"));
    expect(added).toMatchObject({ path: "b.txt", change: "create" });
    expect(deleted).toMatchObject({ path: "c.txt", change: "delete", lines: [] });
  });

  test("reads only the command from a patch that failed", () => {
    const asked = { command: ["apply_patch", patch] };
    expect(act("shell", asked, { text: "exit 1", failed: true })).toMatchObject([
      { type: "command", failed: true },
    ]);
  });
});

describe("commands", () => {
  test("reads a here-document as the file that it writes", () => {
    const command = "mkdir -p x && cat > 'x/a b.sh' <<'EOF'\n#!/bin/sh\necho hi\nEOF\nchmod +x 'x/a b.sh'";
    const [edit] = edits("Bash", { command });
    expect(edit).toMatchObject({ path: "x/a b.sh", change: "create", part: 1 });
    expect(edit && writtenBy(edit)).toEqual(hashes("#!/bin/sh", "echo hi"));
  });

  test.each([
    ["python3 - <<EOF\nprint(1)\nEOF"],
    ["git commit -m \"$(cat <<'EOF'\nfix: a > b\nEOF\n)\""],
    ["cat <<EOF\nno file\nEOF"],
  ])("reads no edit from other here-documents: %j", (command) => {
    expect(edits("Bash", { command })).toEqual([]);
  });

  test("recognises tests and commits", () => {
    const output = "[main 1a2b3c4] fix: pool\n 1 file changed";
    expect(act("Bash", { command: "npm test" })).toMatchObject([{ type: "command", tests: true }]);
    expect(act("Bash", { command: "git commit -am x" }, { ...done, text: output })).toMatchObject([
      { type: "command", tests: false, commit: "1a2b3c4" },
    ]);
  });
});

const someLine = fc.constantFrom("a", "b", "c", "d", "", "  a", "long enough to be told apart");
const someLines = fc.array(someLine, { maxLength: 30 });

describe("for any texts", () => {
  test("maps lines only to equal lines, in order, each at most once", () => {
    fc.assert(
      fc.property(someLines, someLines, (old, now) => {
        const kept = [...mapLines(old, now)].flatMap((at, index) => (at === -1 ? [] : [{ at, index }]));
        for (const { at, index } of kept) expect(old[at]).toBe(now[index]);
        expect(kept.map(({ at }) => at)).toEqual(
          [...new Set(kept.map(({ at }) => at))].sort((a, b) => a - b),
        );
      }),
    );
  });

  test("the old text and the edit produce the new text", () => {
    fc.assert(
      fc.property(someLines, someLines, (old, now) => {
        const input = { file_path: "a", old_string: old.join("\n"), new_string: now.join("\n") };
        const [edit] = edits("Edit", input);
        const [before, after] = [old, now].map((lines) => splitText(lines.join("\n")).map(hashLine));
        expect(edit?.lines.map(({ hash }) => hash) ?? []).toEqual(edit ? after : []);
        const kept = edit ? contextOf(edit) : [];
        expect([...kept, ...(edit?.removed ?? [])].sort()).toEqual(edit ? [...(before ?? [])].sort() : []);
      }),
    );
  });

  test("packed lines and hashes unpack to the same values", () => {
    const line = fc.record({
      hash: fc.string().map(hashLine),
      written: fc.boolean(),
      long: fc.boolean(),
      begins: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(unpackLines(packLines(lines))).toEqual(lines);
        const all = lines.map(({ hash }) => hash);
        expect(unpackHashes(packHashes(all))).toEqual(all);
      }),
    );
  });

  test("reading a call never throws, whatever it contains", () => {
    const tools = fc.constantFrom(
      "Edit",
      "Write",
      "MultiEdit",
      "NotebookEdit",
      "apply_patch",
      "Bash",
      "shell",
    );
    fc.assert(
      fc.property(tools, fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (tool, input, text) => {
        expect(
          Array.isArray(
            act(tool, input as ToolCall["input"], { text, failed: false, detail: input as never }),
          ),
        ).toBe(true);
      }),
    );
  });

  test("compares 20,000 lines that have nothing in common", () => {
    const [old, now] = ["o", "n"].map((mark) => Array.from({ length: 20_000 }, (_, n) => `${mark}${n % 7}`));
    expect(mapLines(old ?? [], now ?? []).every((at) => at === -1)).toBe(true);
  });
});
