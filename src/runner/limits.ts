const mebibyte = 1024 * 1024;

export const cellLimits = {
  processorSeconds: 10,
  heapMebibytes: 256,
  /** All memory that a process can write to: the heap with its overhead, and as much again for buffers. */
  dataBytes: 768 * mebibyte,
  outputBytes: mebibyte,
  fileBytes: 64 * mebibyte,
  /** The limit for the folder of the notebook's files. */
  filesBytes: 256 * mebibyte,
  filesEntries: 10_000,
  temporaryBytes: 64 * mebibyte,
  openFiles: 256,
  displays: 20,
  displayCharacters: 512 * 1024,
  /** The maximum length of a displayed value or error, in characters. */
  valueCharacters: 64 * 1024,
  /** How long a process may take to end before it is killed. */
  graceMs: 1_000,
} as const;

/** Limits for waiting and running cells and installations in this process. */
export const queueLimits = { perCaller: 8, inAll: 16 } as const;

/** The free disk space that cells must leave: `bytes` or this `share` of the disk, whichever is less. */
export type SpareDisk = { bytes: number; share: number };
export const spareDisk: SpareDisk = { bytes: 1024 * mebibyte, share: 0.1 };

export const installLimits = {
  timeMs: 180_000,
  processorSeconds: 120,
  openFiles: 4_096,
  packages: 1_000,
  /** The limit for all files together while packages are downloaded and unpacked. */
  bytes: 512 * mebibyte,
  entries: 200_000,
} as const;
