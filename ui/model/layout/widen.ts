type Column = Int32Array | Uint8Array | Float32Array | Float64Array;

/** Copies a column into a larger one, twice as long by default. */
export function widen<T extends Column>(column: T, length = column.length * 2): T {
  const wider = new (column.constructor as new (length: number) => T)(length);
  wider.set(column);
  return wider;
}
