/** Limits for what is read from a transcript and added to the ledger. */
export const transcriptLimits = {
  /** A longer line is skipped and counted. */
  lineBytes: 16 * 1024 * 1024,
  /** Lines up to this length are parsed unchanged. In longer ones, long outputs are shortened first. */
  wholeLineBytes: 8 * 1024,
  /** What is kept of a long output: its beginning and its end. */
  outputHeadBytes: 3_000,
  outputTailBytes: 1_000,
  /** The beginning and end of a text kept in full. Together longer than the longest thought, even if escaped. */
  textHeadBytes: 1_500_000,
  textTailBytes: 500_000,
  /** The shortened line must parse within a few hundredths of a second, or it is skipped. */
  parsedBytes: 4 * 1024 * 1024,
  parsedMarks: 150_000,
  /** Longest text of one thought, in characters. */
  thoughtChars: 200_000,
  /** Longest output of a failed command that becomes part of an observation. */
  observationChars: 2_000,
  command: 400,
  /** Per imported session. */
  thoughts: 50_000,
  actions: 100_000,
  textChars: 64 * 1024 * 1024,
  branches: 2_000,
  models: 6,
  /** Commands that are waiting for their result. */
  openCalls: 10_000,
  path: 1_024,
  id: 200,
} as const;
