const mebibyte = 1024 * 1024;

/** What one cell may use. */
export const cellLimits = {
  processorSeconds: 10,
  heapMebibytes: 256,
  /** Everything a process can write to, buffers included: the heap, its surroundings, and as much again. */
  dataBytes: 768 * mebibyte,
  outputBytes: mebibyte,
  fileBytes: 64 * mebibyte,
  /** The limit of the folder of its files. */
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

/** Runs and installations of this process that wait or continue. */
export const queueLimits = { perCaller: 8, inAll: 16 } as const;

/** What cells leave free on the disk: so much, or so large a part of it where that is less. */
export type SpareDisk = { bytes: number; share: number };
export const spareDisk: SpareDisk = { bytes: 1024 * mebibyte, share: 0.1 };

/** What installing packages may use. */
export const installLimits = {
  timeMs: 180_000,
  processorSeconds: 120,
  openFiles: 4_096,
  packages: 1_000,
  /** Of everything together, while it is fetched and unpacked. */
  bytes: 512 * mebibyte,
  entries: 200_000,
} as const;
