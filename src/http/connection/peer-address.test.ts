import { describe, expect, it } from "vitest";
import { isLoopbackPeer, peerKey } from "./peer-address.ts";

describe("peer addresses", () => {
  it.each<[string | undefined, boolean, string]>([
    ["127.0.0.1", true, "127.0.0.1"],
    ["::ffff:127.0.0.1", true, "127.0.0.1"],
    ["127.8.8.8", true, "127.8.8.8"],
    ["::1", true, "::1"],
    ["10.0.0.7", false, "10.0.0.7"],
    ["::ffff:10.0.0.7", false, "10.0.0.7"],
    ["::ffff:7f00:1", false, "0:0:0:0/64"],
    ["2001:db8:1:2:3:4:5:6", false, "8193:3512:1:2/64"],
    ["2001:db8:1:2::9", false, "8193:3512:1:2/64"],
    ["fe80::1%eth0", false, "65152:0:0:0/64"],
    ["127.0.0.1.evil.example", false, "127.0.0.1.evil.example"],
    [undefined, false, "unknown"],
  ])("%s: loopback %s, counted as %s", (address, loopback, key) => {
    expect(isLoopbackPeer(address)).toBe(loopback);
    expect(peerKey(address)).toBe(key);
  });
});
