import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createPeerIdentification,
  isLoopbackPeer,
  peerKey,
  readSocketOwners,
  toTableAddress,
} from "./peer-uid.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;

async function listen(host: string) {
  const server = createServer({ allowHalfOpen: true }).listen(0, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const accepted = once(server, "connection").then(([socket]) => {
    (socket as Socket).on("error", () => {});
    onTestFinished(() => void (socket as Socket).destroy());
    return socket as Socket;
  });
  return { port: (server.address() as { port: number }).port, accepted };
}

/** Starts a program as another user. The program connects to the port and then runs `then`. */
function connectAsNobody(port: number, then: string) {
  const program = `const s = require("net").connect(${port}, "127.0.0.1", () => { ${then} }); s.on("error", () => {})`;
  const child = spawn(process.execPath, ["-e", program], {
    uid: 65_534,
    gid: 65_534,
    cwd: "/",
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill());
  return child;
}

describe.runIf(isLinux)("the uid of a peer on Linux", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
    ["::", "127.0.0.1"],
    ["::", "::1"],
    ["::", "::ffff:127.0.0.1"],
    ["0.0.0.0", "127.3.2.1"],
  ])("is ours for our own connection (listening on %s, called at %s)", async (listenOn, callAt) => {
    const { port, accepted } = await listen(listenOn);
    const client = connect(port, callAt);
    onTestFinished(() => void client.destroy());
    expect((await createPeerIdentification()(await accepted)).isOurUid).toBe(true);
  });

  it("is looked up once per connection", async () => {
    const { port, accepted } = await listen("127.0.0.1");
    const client = connect(port, "127.0.0.1");
    const identify = createPeerIdentification();
    const socket = await accepted;
    expect((await identify(socket)).isOurUid).toBe(true);
    client.destroy();
    await once(socket.resume(), "end");
    expect((await identify(socket)).isOurUid).toBe(true);
    expect((await createPeerIdentification()(socket)).isOurUid).not.toBe(true);
  });

  it("is not ours if we are another user", async () => {
    const { port, accepted } = await listen("127.0.0.1");
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    expect((await createPeerIdentification("linux", 4242)(await accepted)).isOurUid).toBe(false);
  });

  it("is unknown on other platforms", async () => {
    const { port, accepted } = await listen("127.0.0.1");
    const client = connect(port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    expect((await createPeerIdentification("darwin")(await accepted)).isOurUid).toBeUndefined();
  });
});

describe.runIf(isLinux && isRoot)("the uid of another user's program (needs root)", () => {
  it("is not ours", async () => {
    const { port, accepted } = await listen("127.0.0.1");
    connectAsNobody(port, "");
    expect((await createPeerIdentification()(await accepted)).isOurUid).toBe(false);
  });

  it("does not become root's if the program sends a request and exits immediately", async () => {
    const { port, accepted } = await listen("127.0.0.1");
    const child = connectAsNobody(port, 's.end("GET / HTTP/1.1\\r\\n\\r\\n", () => process.exit())');
    const socket = await accepted;
    await Promise.all([once(child, "exit"), once(socket.resume(), "end")]);
    expect((await createPeerIdentification()(socket)).isOurUid).toBe(false);
  });

  it("is not ours even if we run as the same unprivileged user", async () => {
    const { port, accepted } = await listen("127.0.0.1");
    connectAsNobody(port, "");
    expect((await createPeerIdentification("linux", 65_534)(await accepted)).isOurUid).toBe(false);
  });
});

describe("the kernel's table of connections", () => {
  const local = toTableAddress({ address: "127.0.0.1", port: 0x1f90 }, "tcp") ?? "";
  const remote = toTableAddress({ address: "::ffff:127.0.0.1", port: 80 }, "tcp") ?? "";
  const row = (from: string, to: string, uid: number, inode: number) =>
    `   0: ${from} ${to} 01 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000 100 0`;

  it("has an owner for a socket in use", () => {
    const table = ["header", row(remote, local, 1, 5), row(local, remote, 1000, 6)].join("\n");
    expect(readSocketOwners(table)(local, remote)).toBe(1000);
  });

  it("is parsed once for thousands of lookups", () => {
    const port = (index: number) => `0100007F:${index.toString(16).toUpperCase().padStart(4, "0")}`;
    const all = Array.from({ length: 30_000 }, (_, index) => index);
    const ownerOf = readSocketOwners(all.map((index) => row(port(index), remote, index, 7)).join("\n"));
    for (const index of all) expect(ownerOf(port(index), remote)).toBe(index);
  });

  it("has no owner for an orphaned socket, which the kernel lists as root's", () => {
    expect(readSocketOwners(row(local, remote, 0, 0))(local, remote)).toBeUndefined();
  });

  it("has different spellings for IPv4 and IPv6 endpoints", () => {
    expect(local).toMatch(/^(0100007F|7F000001):1F90$/);
    expect(toTableAddress({ address: "127.0.0.1", port: 1 }, "tcp6")).toMatch(/^0{16}.{16}:0001$/);
    expect(toTableAddress({ address: "::1", port: 1 }, "tcp6")).toMatch(/^0{24}(01000000|00000001):0001$/);
    expect(toTableAddress({ address: "::1", port: 1 }, "tcp")).toBeUndefined();
    expect(toTableAddress({ address: "fe80::1", port: 1 }, "tcp6")).toBeUndefined();
  });
});

describe("peer addresses", () => {
  it.each<[string | undefined, boolean, string]>([
    ["127.0.0.1", true, "this machine"],
    ["::ffff:127.0.0.1", true, "this machine"],
    ["127.8.8.8", true, "this machine"],
    ["::1", true, "this machine"],
    ["10.0.0.7", false, "10.0.0.7"],
    ["::ffff:10.0.0.7", false, "10.0.0.7"],
    ["::ffff:7f00:1", false, "0:0:0:0/64"],
    ["2001:db8:1:2:3:4:5:6", false, "8193:3512:1:2/64"],
    ["2001:db8:1:2::9", false, "8193:3512:1:2/64"],
    ["fe80::1%eth0", false, "65152:0:0:0/64"],
    ["127.0.0.1.evil.example", false, "127.0.0.1.evil.example"],
    [undefined, false, "unknown"],
  ])("%s: loopback is %s, counted as %s", (address, loopback, key) => {
    expect(isLoopbackPeer(address)).toBe(loopback);
    expect(peerKey(address)).toBe(key);
  });
});
