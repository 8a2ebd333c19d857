const mebibyte = 1024 * 1024;

/** What one cell may use. */
export const cellLimits = {
  processorSeconds: 10,
  heapMebibytes: 256,
  /** Everything a process can write to, buffers included: the heap, its surroundings, and as much again. */
  dataBytes: 768 * mebibyte,
  outputBytes: mebibyte,
  fileBytes: 64 * mebibyte,
  /** What its directory may hold, packages apart. */
  directoryBytes: 256 * mebibyte,
  directoryEntries: 10_000,
  temporaryBytes: 64 * mebibyte,
  openFiles: 256,
  displays: 20,
  displayCharacters: 512 * 1024,
  /** Of a value or an error that is shown. */
  valueCharacters: 64 * 1024,
  /** Between asking a process to end and ending it. */
  graceMs: 1_000,
} as const;

/** What installing packages may use. */
export const installLimits = {
  timeMs: 180_000,
  packages: 1_000,
  bytes: 512 * mebibyte,
} as const;
