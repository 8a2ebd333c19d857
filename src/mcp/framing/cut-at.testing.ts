/** Cuts bytes into chunks at arbitrary places. Some chunks are empty. */
export function cutAt(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...places].map((start, at) => bytes.subarray(start, places[at] ?? bytes.length));
}
