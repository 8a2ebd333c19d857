/** Keeps the beginning of a stream, reads the rest to nowhere, and says how much that was. */
export function createOutputCut(limit: number) {
  const kept: Buffer[] = [];
  let size = 0;
  let total = 0;
  return {
    add(chunk: Buffer): void {
      total += chunk.length;
      if (size >= limit) return;
      const part = chunk.subarray(0, limit - size);
      kept.push(part);
      size += part.length;
    },
    truncated: (): boolean => total > size,
    bytes: (): Buffer => Buffer.concat(kept),
    text(): string {
      const whole = Buffer.concat(kept);
      const text = new TextDecoder().decode(whole.subarray(0, wholeCharacters(whole)));
      return total > size ? `${text}\n… cut here: ${total - size} of ${total} bytes are not shown …\n` : text;
    },
  };
}

/** The length without a character that was cut in its middle. */
function wholeCharacters(bytes: Buffer): number {
  let start = bytes.length - 1;
  const earliest = Math.max(0, bytes.length - 4);
  while (start >= earliest && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  if (start < earliest) return bytes.length;
  const lead = bytes[start] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - start < needed ? start : bytes.length;
}
