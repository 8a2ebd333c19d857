/** Bounds of what is read out of a transcript and taken into the ledger. */
export const transcriptLimits = {
  /** A longer line is passed over and counted. */
  lineBytes: 16 * 1024 * 1024,
  /** Lines up to here are parsed as they are; longer ones lose their long outputs first. */
  wholeLineBytes: 8 * 1024,
  /** What is kept of a long output: its beginning and its end. */
  outputHeadBytes: 3_000,
  outputTailBytes: 1_000,
  /** The same of a text that is read in full: more than the longest thought, however it is spelled. */
  textHeadBytes: 1_500_000,
  textTailBytes: 500_000,
  /** What is left of a line then must be parsed in a few hundredths of a second, or the line is passed over. */
  parsedBytes: 4 * 1024 * 1024,
  parsedMarks: 150_000,
  /** Longest text of one thought, in characters. */
  thoughtChars: 200_000,
  /** Longest output of a failed command that becomes part of an observation. */
  observationChars: 2_000,
  command: 400,
  /** Of one imported session. */
  thoughts: 50_000,
  actions: 100_000,
  textChars: 64 * 1024 * 1024,
  branches: 2_000,
  models: 6,
  /** Commands that wait for their result. */
  openCalls: 10_000,
  path: 1_024,
  id: 200,
} as const;
