import { describe, expect, it } from "vitest";
import { decide, right, token, verdict } from "../test-support/verdict.ts";
import { digestToken, pageCookie, pageProof } from "./token.ts";

describe("rule 1: one valid Host, at most one Origin, an origin-form target", () => {
  it.each<[string, readonly string[]]>([
    ["an empty Host", ["Host", ""]],
    ["two Hosts", ["Host", "localhost", "Host", "evil.example"]],
    ["two equal Hosts", ["Host", "localhost", "host", "localhost"]],
    ["a list of Hosts", ["Host", "localhost, evil.example"]],
    ["userinfo", ["Host", "localhost@evil.example"]],
    ["a password before the name", ["Host", "user:pw@localhost"]],
    ["a path", ["Host", "localhost/x"]],
    ["a leading blank", ["Host", " localhost"]],
    ["a tab inside", ["Host", "local\thost"]],
    ["an empty port", ["Host", "localhost:"]],
    ["port 0", ["Host", "localhost:0"]],
    ["a port with a leading zero", ["Host", "localhost:080"]],
    ["port 65536", ["Host", "localhost:65536"]],
    ["a port in letters", ["Host", "localhost:http"]],
    ["two ports", ["Host", "localhost:80:81"]],
    ["an IPv6 address without brackets", ["Host", "::1"]],
    ["an unclosed bracket", ["Host", "[::1"]],
    ["an IPv6 zone", ["Host", "[fe80::1%25eth0]"]],
    ["a percent escape", ["Host", "%6cocalhost"]],
    ["a look-alike letter", ["Host", "ⓛocalhost"]],
    ["a wildcard", ["Host", "*"]],
  ])("%s is refused", (_, headers) => {
    expect(verdict({ headers })).toBe("400 HOST_INVALID");
  });

  it("refuses a request without Host", () => {
    expect(verdict({ headers: [], host: "none" })).toBe("400 HOST_INVALID");
  });

  it("refuses a second Origin even if both are allowed", () => {
    const headers = ["Origin", "http://localhost:1731", "origin", "http://localhost:1731"];
    expect(verdict({ headers })).toBe("400 ORIGIN_INVALID");
  });

  it.each([
    "http://localhost:1731/mcp",
    "http://evil.example/",
    "//evil.example/mcp",
    "*",
    "localhost:443",
    "",
    "/a b",
    "/a\\b",
    "/a#b",
    "/é",
  ])("refuses the target %j", (target) => {
    expect(verdict({ from: { target } })).toBe("400 TARGET_INVALID");
  });

  it.each(["/", "/mcp", "/mcp?x=1&y=/../", "/a//b", "/%2e%2e/"])("accepts the target %j", (target) => {
    expect(verdict({ from: { target } })).toBe("loopback, cells");
  });

  it("reports a malformed Host before a foreign Origin or a wrong token", () => {
    const headers = ["Host", "a b", "Origin", "https://evil.example", "Authorization", "Bearer wrong"];
    expect(verdict({ headers })).toBe("400 HOST_INVALID");
  });
});

describe("rule 2: the Host is ours", () => {
  it.each([
    "localhost",
    "LocalHost:1731",
    "box.localhost",
    "a.b.localhost:8080",
    "127.0.0.1",
    "127.0.0.1:65535",
    "0.0.0.0:1731",
    "192.168.1.20:1731",
    "[::1]",
    "[::1]:1731",
    "[fe80::1]",
    "[2001:DB8::1:0:0:1]",
    "box.example.com",
    "BOX.example.com:9",
    "pinned.example.com:1731",
  ])("serves %s", (host) => {
    const settings = { allowedHosts: ["Box.Example.com", "pinned.example.com:1731"] };
    expect(verdict({ headers: ["Host", host], settings })).toBe("loopback, cells");
  });

  it.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io:1731",
    "evil-localhost",
    "localhost.",
    "127.0.0.1.",
    ".localhost",
    "a..localhost",
    "-a.localhost",
    "localhost.localdomain",
    "127.1",
    "127.0.0.01",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7f.1",
    "2130706433",
    "127.0.0.256",
    "-1.0.0.1",
    "1.2.3.4.5",
    "[0:0:0:0:0:0:0:1]",
    "[::0001]",
    "[::ffff:127.0.0.1]",
    "[1::2::3]",
    "[::12345]",
    "sub.box.example.com",
    "box.example.com.evil.example",
    "pinned.example.com",
    "pinned.example.com:1732",
  ])("refuses %s, even with the token", (host) => {
    const settings = { allowedHosts: ["box.example.com", "pinned.example.com:1731"] };
    const headers = ["Host", host, "Authorization", right];
    expect(verdict({ headers, settings })).toBe("421 HOST_NOT_ALLOWED");
  });

  it("the refusal names the variable and does not repeat the Host", () => {
    const admission = decide({ headers: ["Host", "evil.example"] });
    expect(admission).toMatchObject({ message: expect.stringContaining("THOUGHTBOX_ALLOWED_HOSTS") });
    expect(JSON.stringify(admission)).not.toContain("evil");
  });
});

describe("rule 3: no foreign web page", () => {
  it.each([
    "null",
    "",
    "*",
    "https://evil.example",
    "http://localhost.evil.com",
    "http://127.0.0.1.evil.com",
    "http://evil-localhost",
    "http://localhost.",
    "http://127.1",
    "http://0x7f.1",
    "http://2130706433",
    "http://0177.0.0.1",
    "http://127.0.0.01",
    "http://[::ffff:127.0.0.1]",
    "http://[0:0:0:0:0:0:0:1]",
    "http://user@localhost",
    "http://localhost@evil.example",
    "http://localhost:1731@evil.example",
    "http://localhost/",
    "http://localhost:0",
    "http://localhost:99999",
    "http://localhost#",
    "http://localhost?",
    "http://localhost\\.evil.example",
    "http:localhost",
    "http://http://localhost",
    "HTTP://localhost",
    "http://LOCALHOST",
    "file://localhost",
    "ws://localhost:1731",
    "chrome-extension://abcdef",
    "http://192.168.1.20:1731",
    "http://0.0.0.0:1731",
    "http://app.example.com",
    "https://app.example.com:8443",
    "https://sub.app.example.com",
    "https://app.example.com.evil.example",
    "localhost:1731",
    "http://localhost http://localhost",
  ])("refuses the origin %j, even with the token", (origin) => {
    const settings = { allowedOrigins: ["https://app.example.com"] };
    const headers = ["Origin", origin, "Authorization", right];
    expect(verdict({ headers, settings })).toBe("403 ORIGIN_NOT_ALLOWED");
  });

  it.each([
    "http://localhost:1731",
    "http://localhost:1729",
    "https://app.example.com",
    "vscode-webview://panel",
  ])("lets the origin %s, which is ours or listed, read the answer", (origin) => {
    const settings = {
      uiOrigins: () => ["http://localhost:1729"],
      allowedOrigins: ["https://App.example.com", "vscode-webview://panel"],
    };
    expect(decide({ headers: ["Origin", origin], settings })).toMatchObject({
      outcome: "admitted",
      corsOrigin: origin,
    });
  });

  describe.each([
    "http://localhost",
    "http://localhost:3000",
    "https://localhost:3000",
    "http://app.localhost:5173",
    "http://127.0.0.1:6274",
    "http://127.9.9.9",
    "http://[::1]:6274",
  ])("any other page of this machine, such as %s,", (origin) => {
    it.each(["auto", "token", "off"] as const)("needs the token (%s), and can read that it does", (auth) => {
      expect(decide({ headers: ["Origin", origin], settings: { auth } })).toMatchObject({
        code: "TOKEN_REQUIRED",
        headers: { "Access-Control-Allow-Origin": origin },
      });
      const headers = ["Origin", origin, "Authorization", right];
      expect(decide({ headers, settings: { auth } })).toMatchObject({ outcome: "admitted", how: "token" });
    });

    it("is not admitted by the cookie, which browsers send to every port of a host", () => {
      const cookie = pageCookie(digestToken(token), 1731, "uid 1000");
      const settings = { hasPages: true, auth: "token" } as const;
      const headers = ["Cookie", cookie, "Thoughtbox-Page", pageProof(digestToken(token), 1731)];
      expect(verdict({ headers, settings })).toBe("cookie, cells");
      expect(verdict({ headers: [...headers, "Origin", origin], settings })).toBe("401 TOKEN_REQUIRED");
    });
  });

  it.each<[string, readonly string[], string]>([
    ["cross-site without Origin", ["Sec-Fetch-Site", "cross-site"], "403 ORIGIN_NOT_ALLOWED"],
    ["cross-site in capitals", ["sec-fetch-site", "Cross-Site"], "403 ORIGIN_NOT_ALLOWED"],
    [
      "cross-site after a harmless value",
      ["Sec-Fetch-Site", "none", "Sec-Fetch-Site", "cross-site"],
      "403 ORIGIN_NOT_ALLOWED",
    ],
    [
      "cross-site with the token",
      ["Sec-Fetch-Site", "cross-site", "Authorization", right],
      "403 ORIGIN_NOT_ALLOWED",
    ],
    [
      "cross-site from a trusted origin",
      ["Sec-Fetch-Site", "cross-site", "Origin", "https://app.example.com"],
      "loopback, no cells",
    ],
    [
      "an image on a page of another port",
      ["Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"],
      "403 ORIGIN_NOT_ALLOWED",
    ],
    [
      "a frame on a page of another port",
      ["Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"],
      "403 ORIGIN_NOT_ALLOWED",
    ],
    [
      "a link on a page of another port",
      ["Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"],
      "loopback, cells",
    ],
    ["same-origin", ["Sec-Fetch-Site", "same-origin"], "loopback, cells"],
    ["an address typed by the user", ["Sec-Fetch-Site", "none"], "loopback, cells"],
  ])("%s", (_, headers, expected) => {
    expect(verdict({ headers, settings: { allowedOrigins: ["https://app.example.com"] } })).toBe(expected);
  });

  it("the refusal names the variable and does not let the page read the answer", () => {
    const admission = decide({ headers: ["Origin", "https://evil.example"] });
    expect(admission).toMatchObject({
      message: expect.stringContaining("THOUGHTBOX_ALLOWED_ORIGINS"),
      headers: {},
    });
  });
});

describe("localhost, if another program listens on one of its addresses", () => {
  const from = { ownsLocalhost: false };
  it.each<[string, readonly string[], string]>([
    ["a page of this port", ["Origin", "http://localhost:1731"], "401 TOKEN_REQUIRED"],
    ["a read by a page of this port", ["Sec-Fetch-Site", "same-origin"], "401 TOKEN_REQUIRED"],
    [
      "a page of a subdomain of localhost",
      ["Host", "a.localhost:1731", "Origin", "http://a.localhost:1731"],
      "401 TOKEN_REQUIRED",
    ],
    [
      "a page of this port with the token",
      ["Origin", "http://localhost:1731", "Authorization", right],
      "token, cells",
    ],
    ["a page of another site", ["Origin", "https://evil.example"], "403 ORIGIN_NOT_ALLOWED"],
    ["an image on another site", ["Sec-Fetch-Site", "cross-site"], "403 ORIGIN_NOT_ALLOWED"],
    ["an address typed by the user", ["Sec-Fetch-Site", "none"], "loopback, cells"],
    ["a program", [], "loopback, cells"],
    [
      "our page at an IP address",
      ["Host", "127.0.0.1:1731", "Origin", "http://127.0.0.1:1731"],
      "loopback, cells",
    ],
    [
      "a read by our page at an IP address",
      ["Host", "127.0.0.1:1731", "Sec-Fetch-Site", "same-origin"],
      "loopback, cells",
    ],
  ])("%s", (_, headers, expected) => {
    expect(verdict({ headers, from })).toBe(expected);
  });
});
