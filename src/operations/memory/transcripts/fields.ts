import * as z from "zod";
import { messageRoles, transcriptFormats } from "../../../domain/transcripts/entry.ts";

/** Fields that the tools for transcripts share. */

export const rootDir = z
  .string()
  .min(1)
  .max(1_024)
  .describe(
    "Absolute path of a directory of transcripts. Default: the first that exists, starting with those of Codex and Claude Code.",
  );

export const cwdPrefix = z
  .string()
  .min(1)
  .max(1_024)
  .describe(
    "Only sessions from this project directory, or / for all. Default: the bound root or repository.",
  );

export const role = z.enum(messageRoles).describe("Only messages with this role.");

export const maxFiles = z
  .int()
  .min(1)
  .max(20_000)
  .default(720)
  .describe("Maximum number of files to open. Default: 720.");

const mebibyte = 1024 * 1024;
export const maxBytesTotal = z
  .int()
  .min(1)
  .max(1024 * mebibyte)
  .default(16 * mebibyte)
  .describe("Maximum number of bytes to read. Default: 16777216.");

export const refPath = z.string().min(1).max(1_024).describe("File, relative to root_dir.");

export const projectSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  confidence: z.enum(["high", "medium", "low"]),
});

export const sessionSchema = z.strictObject({
  id: z.string().optional(),
  ts: z.string().optional(),
  cwd: z.string().optional(),
});

const tally = z.record(z.string(), z.int());

export const scannedSchema = z.strictObject({
  files: z.int(),
  bytes: z.int(),
  truncated: z.boolean(),
  stopped_by: z.enum(["bytes", "files", "time", "hits"]).optional(),
  /** Lines without a message and unreadable lines, counted by kind. */
  skipped: tally,
  /** Files that were not opened, counted by reason. */
  refused: tally,
});

export const tallySchema = tally;
export const formatSchema = z.enum(transcriptFormats);
