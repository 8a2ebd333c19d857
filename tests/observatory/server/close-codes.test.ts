import { expect, test } from "vitest";
import { openRaw } from "../../../src/http/test-support/raw-client.ts";
import { openObservatory } from "./observatory.testing.ts";

/** Returns a WebSocket frame as a client sends it, or an invalid one. */
function frame(opcode: number, payload: Buffer, { first = 0x80, masked = true } = {}): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  const head = [first | opcode, (length[0] ?? 0) | (masked ? 0x80 : 0), ...length.slice(1)];
  // A mask of zeros leaves the payload unchanged.
  return Buffer.concat([Buffer.from(head), masked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}

const closing = String.fromCharCode(0x88);

/** Returns the code in the server's close frame, read from the bytes. */
async function closeCodeAfter(port: number, ...frames: Buffer[]): Promise<number | undefined> {
  const client = await openRaw(port);
  client.send(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
  );
  await client.until("\r\n\r\n");
  for (const each of frames) client.send(each);
  const answer = await client.until(new RegExp(`\\r\\n\\r\\n[^]*${closing}[^]{3}`));
  client.socket.destroy();
  const bytes = Buffer.from(answer.slice(answer.indexOf("\r\n\r\n") + 4), "latin1");
  const at = bytes.indexOf(0x88);
  return at < 0 ? undefined : bytes.readUInt16BE(at + 2);
}

const subscribe = Buffer.from('{"action":"subscribe","channel":"sessions"}');

test.each<[string, number, Buffer[]]>([
  ["a close frame is returned with its code", 1000, [frame(8, Buffer.from([3, 232]))]],
  ["a frame without a mask violates the protocol", 1002, [frame(1, subscribe, { masked: false })]],
  ["a reserved bit violates the protocol", 1002, [frame(1, subscribe, { first: 0xc0 })]],
  ["an unknown kind of frame violates the protocol", 1002, [frame(3, subscribe)]],
  ["a fragmented ping violates the protocol", 1002, [frame(9, subscribe, { first: 0 })]],
  ["a ping that is too long violates the protocol", 1002, [frame(9, Buffer.alloc(126))]],
  ["a continuation without a first frame violates the protocol", 1002, [frame(0, subscribe)]],
  ["a close frame with a reserved code violates the protocol", 1002, [frame(8, Buffer.from([3, 237]))]],
  ["binary messages are not accepted", 1003, [frame(2, subscribe)]],
  ["text that is not UTF-8 is refused", 1007, [frame(1, Buffer.from([0xc3, 0x28]))]],
  ["a close frame that is not UTF-8 is refused", 1007, [frame(8, Buffer.from([3, 232, 0xff]))]],
  ["more messages than can wait violate the policy", 1008, Array(200).fill(frame(1, subscribe))],
  [
    "a message over 64 KiB is too large",
    1009,
    [
      frame(1, Buffer.alloc(65_535)),
      frame(1, Buffer.alloc(60_000), { first: 0 }),
      frame(0, Buffer.alloc(10_000)),
    ],
  ],
])("%s", async (_what, code, frames) => {
  const { service } = await openObservatory();
  // Messages that wait in the same turn must not prevent the close frame.
  expect(await closeCodeAfter(service.port, frame(1, Buffer.from("ping")), ...frames)).toBe(code);
});
