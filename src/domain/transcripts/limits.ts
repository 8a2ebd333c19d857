/** Limits for reading transcripts and adding them to the ledger. */
export const transcriptLimits = {
  /** The maximum length of a line. Longer lines are skipped and counted. */
  lineBytes: 16 * 1024 * 1024,
  /** Lines of up to this length are parsed unchanged. In longer lines, long strings are shortened first. */
  wholeLineBytes: 8 * 1024,
  /** How many bytes at the beginning and the end of a long output are kept. */
  outputHeadBytes: 3_000,
  outputTailBytes: 1_000,
  /**
   * How many bytes at the beginning and the end of other long texts are kept. Together, both parts are longer
   * than the longest thought, even if the thought is escaped.
   */
  textHeadBytes: 1_500_000,
  textTailBytes: 500_000,
  /** A shortened line that is still longer than this is skipped, because parsing would take too long. */
  parsedBytes: 4 * 1024 * 1024,
  parsedMarks: 150_000,
  /** The maximum length of a thought, in characters. */
  thoughtChars: 200_000,
  /** The longest part of a failed command's output in an observation. */
  observationChars: 2_000,
  command: 400,
  /** Per imported session. */
  thoughts: 50_000,
  actions: 100_000,
  textChars: 64 * 1024 * 1024,
  branches: 2_000,
  models: 6,
  /** The maximum number of commands that have no result yet. */
  openCalls: 10_000,
  path: 1_024,
  id: 200,
} as const;
