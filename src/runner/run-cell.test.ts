import { describe, expect, test } from "vitest";
import { readReport } from "./run-cell.ts";

const mebibyte = 1024 * 1024;
const message = (kind: string, text: string) => `${kind} ${Buffer.byteLength(text)}\n${text}`;
const read = (text: string) => readReport(Buffer.from(text));

describe("the report of a cell's process", () => {
  test("contains displays, a value and an error, whatever their characters", () => {
    const html = "<b>é\n😀</b>";
    expect(
      read(
        message("text/html", html) + message("value", "42\nvalue 3\n") + message("error", "TypeError: no"),
      ),
    ).toEqual({
      displays: [{ mime: "text/html", data: html }],
      value: "42\nvalue 3\n",
      error: "TypeError: no",
    });
  });

  test("ends at the first invalid message, and keeps the earlier ones", () => {
    const shown = message("text/plain", "first");
    for (const rest of ["text/plain 9\ncut", "value -1\nx", "value x\n", "{}\n", "\n", "value 1e9\n"])
      expect(read(shown + rest)).toEqual({ displays: [{ mime: "text/plain", data: "first" }] });
  });

  test("has the same limits if the cell writes it directly", () => {
    const { displays, value } = read(
      message("image/svg", "x") +
        message("text/html", "x".repeat(mebibyte)) +
        message("value", "x".repeat(mebibyte)),
    );
    expect(displays).toEqual([]);
    expect(value).toHaveLength(64 * 1024);
    expect(read(message("text/plain", "x").repeat(1_000)).displays).toHaveLength(20);
  });

  test.each([
    ["line ends", "\n"],
    ["opening brackets", "["],
    ["empty messages", "value 0\n"],
    ["digits", "9"],
  ])("is read quickly if it contains nothing but %s", (_what, part) => {
    const filling = Buffer.alloc(30 * mebibyte, part);
    for (let again = 0; again < 100; again += 1) expect(readReport(filling).displays).toEqual([]);
  });
});
