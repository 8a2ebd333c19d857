export type Message = Readonly<Record<string, unknown>>;

const longestHeader = 4_096;
const longestBody = 16 * 1024 * 1024;
const headerEnd = Buffer.from("\r\n\r\n");

/**
 * Splits the input into messages: a header with `Content-Length`, an empty line, and JSON of that many bytes. Throws if
 * the header is unusable, because the start of the next message is then unknown.
 */
export function createFrameReader(onMessage: (message: Message) => void): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let [held, wanted] = [0, 0];
  let length: number | undefined;
  return (chunk) => {
    pieces.push(chunk);
    held += chunk.length;
    // Concatenates a long message only once, when it is complete.
    if (held < wanted) return;
    let rest = Buffer.concat(pieces);
    for (;;) {
      if (length === undefined) {
        const end = rest.indexOf(headerEnd);
        if (end === -1 && rest.length > longestHeader) throw new Error("a message header is too long");
        if (end === -1) break;
        length = lengthOf(rest.toString("latin1", 0, end));
        rest = rest.subarray(end + headerEnd.length);
      }
      if (rest.length < length) break;
      const body = rest.toString("utf8", 0, length);
      rest = rest.subarray(length);
      length = undefined;
      const message = parse(body);
      if (message) onMessage(message);
    }
    pieces = [rest];
    held = rest.length;
    wanted = length ?? 0;
  };
}

function lengthOf(header: string): number {
  const [, digits] = /^content-length: *(\d{1,9})\s*$/im.exec(header) ?? [];
  const length = Number(digits ?? -1);
  if (length < 0 || length > longestBody) throw new Error("a message has no valid Content-Length");
  return length;
}

/** Drops everything except JSON objects, because the sender expects no answer to anything else. */
function parse(body: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Message)
      : undefined;
  } catch {
    return undefined;
  }
}

export function toFrame(message: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
