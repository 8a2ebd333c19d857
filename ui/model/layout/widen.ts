type Column = Int32Array | Uint8Array | Float32Array | Float64Array;

/** The same column with room for twice as much. */
export function widen<T extends Column>(column: T, length = column.length * 2): T {
  const wider = new (column.constructor as new (length: number) => T)(length);
  wider.set(column);
  return wider;
}
