const mebibyte = 1024 * 1024;

/** What one cell may use. */
export const cellLimits = {
  processorSeconds: 10,
  heapMebibytes: 256,
  /** Everything a process can write to, buffers included: the heap, its surroundings, and as much again. */
  dataBytes: 768 * mebibyte,
  outputBytes: mebibyte,
  fileBytes: 64 * mebibyte,
  /** What the folder of its files may hold. */
  filesBytes: 256 * mebibyte,
  filesEntries: 10_000,
  temporaryBytes: 64 * mebibyte,
  openFiles: 256,
  displays: 20,
  displayCharacters: 512 * 1024,
  /** Of a value or an error that is shown. */
  valueCharacters: 64 * 1024,
  /** Between asking a process to end and ending it. */
  graceMs: 1_000,
} as const;

/** What cells leave free on the disk, where that is less than a tenth of it. */
export const spareDiskBytes = 1024 * mebibyte;

/** What installing packages may use. */
export const installLimits = {
  timeMs: 180_000,
  packages: 1_000,
  bytes: 512 * mebibyte,
} as const;
