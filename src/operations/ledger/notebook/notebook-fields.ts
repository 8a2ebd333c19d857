import * as z from "zod";
import { cellTypes, languages, notebookLimits } from "../../../domain/notebook/notebook.ts";

export const notebookId = z
  .string()
  .min(1)
  .max(100)
  .describe("ID of the notebook, as notebook.create returned it.");

export const cellId = z.string().min(1).max(100).describe("ID of the cell, or its filename.");

export const name = z
  .string()
  .min(1)
  .max(notebookLimits.name)
  .describe("Name of the notebook, shown in its title cell.");

export const language = z.enum(languages);

export const cellType = z
  .enum(cellTypes)
  .describe("Type of the cell. A package.json cell lists the packages that the code uses.");

export const content = z
  .string()
  .max(notebookLimits.cellCharacters)
  .describe("The text or the code of the cell, at most 256 KiB.");

export const filename = z
  .string()
  .min(1)
  .max(notebookLimits.filename)
  .describe(
    "Filename under which other cells import the code, such as add.ts. If omitted, Thoughtbox chooses one.",
  );

export const afterCellId = z
  .string()
  .min(1)
  .max(100)
  .describe(
    "Cell after which to add the new one. If afterCellId and position are omitted, the cell is added at the end.",
  );

export const position = z
  .int()
  .min(0)
  .max(notebookLimits.cells)
  .describe("Position, counted from 0, instead of afterCellId.");

export const timeoutMs = z
  .int()
  .min(100)
  .max(120_000)
  .default(30_000)
  .describe("Time limit for the cell in milliseconds. Default: 30000.");

export const recordAs = z
  .strictObject({
    sessionId: z.string().min(1).max(100).describe("Session to record the run in."),
    type: z.enum(["E", "O"]).default("E").describe("E for evidence or O for observation. Default: E."),
    references: z
      .array(z.int().min(1).max(1_000_000))
      .max(8)
      .default([])
      .describe("Numbers of the thoughts that the run refers to."),
  })
  .describe("Records the run and its output as a thought in a session.");

export const nameSpelling = { title: "name" } as const;
export const contentSpellings = { source: "content", text: "content" } as const;
export const draftSpellings = { ...contentSpellings, cellType: "type" } as const;
