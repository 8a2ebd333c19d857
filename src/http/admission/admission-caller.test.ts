import { describe, expect, it } from "vitest";
import { decide, right, token, type Vector, verdict } from "../test-support/verdict.ts";
import type { InboundRequest } from "./admission.ts";
import type { AdmissionSettings } from "./admission-policy.ts";

describe("rule 4: the token", () => {
  const remote = { peerAddress: "203.0.113.9", peerIsOurUid: undefined };

  it.each<[string, string]>([
    ["the right token", right],
    ["the token after a lower-case scheme", `bearer ${token}`],
  ])("%s is accepted from anywhere", (_, authorization) => {
    for (const auth of ["auto", "token", "off"] as const) {
      expect(verdict({ headers: ["Authorization", authorization], from: remote, settings: { auth } })).toBe(
        "token, cells",
      );
    }
  });

  it.each<[string, readonly string[]]>([
    ["a wrong token", ["Authorization", "Bearer wrong"]],
    ["a prefix of the token", ["Authorization", right.slice(0, -1)]],
    ["the token with an extra character", ["Authorization", `${right}x`]],
    ["no token after the scheme", ["Authorization", "Bearer"]],
    ["an empty header", ["Authorization", ""]],
    ["two blanks", ["Authorization", `Bearer  ${token}`]],
    ["the token without a scheme", ["Authorization", token]],
    ["another scheme", ["Authorization", `Basic ${token}`]],
    ["two headers", ["Authorization", right, "Authorization", right]],
    ["a right and a wrong header", ["Authorization", right, "authorization", "Bearer wrong"]],
    ["a list", ["Authorization", `${right}, ${right}`]],
  ])("%s is wrong in every mode, even for our own uid", (_, headers) => {
    for (const auth of ["auto", "token", "off"] as const) {
      const admission = decide({ headers, settings: { auth } });
      expect(admission).toMatchObject({ status: 401, code: "TOKEN_WRONG" });
      expect(admission).toMatchObject({ headers: { "WWW-Authenticate": expect.stringMatching(/^Bearer/) } });
    }
  });

  it("a pause applies to wrong tokens, and the right one is still admitted", () => {
    const from = { tokenPauseSeconds: 12.3 };
    expect(decide({ headers: ["Authorization", "Bearer wrong"], from })).toMatchObject({
      status: 429,
      code: "TOO_MANY_WRONG_TOKENS",
      headers: { "Retry-After": "13" },
    });
    expect(verdict({ headers: ["Authorization", right], from })).toBe("token, cells");
  });

  it("a pause does not affect callers who need no token", () => {
    expect(verdict({ from: { tokenPauseSeconds: 60 } })).toBe("loopback, cells");
  });

  it("any admitted origin may read the answer to a request with the token", () => {
    const headers = ["Authorization", right, "Origin", "http://localhost:3000"];
    expect(decide({ headers })).toMatchObject({ corsOrigin: "*", mayRunCells: true, principal: "owner" });
  });
});

describe("rules 5 and 6: without a token", () => {
  const loopback = { peerAddress: "127.0.0.1", peerIsOurUid: true };

  it.each<[string, Partial<InboundRequest>, AdmissionSettings["auth"], string]>([
    ["off, from anywhere", { peerAddress: "203.0.113.9" }, "off", "open, cells"],
    ["off, another uid", { peerIsOurUid: false }, "off", "open, cells"],
    ["token, from loopback with our uid", loopback, "token", "401 TOKEN_REQUIRED"],
    ["auto, our uid", loopback, "auto", "loopback, cells"],
    ["auto, IPv6 loopback", { peerAddress: "::1" }, "auto", "loopback, cells"],
    ["auto, mapped loopback", { peerAddress: "::ffff:127.0.0.1" }, "auto", "loopback, cells"],
    ["auto, another loopback address", { peerAddress: "127.4.5.6" }, "auto", "loopback, cells"],
    ["auto, if the uid is unknown", { peerIsOurUid: undefined }, "auto", "loopback, cells"],
    ["auto, another uid", { peerIsOurUid: false }, "auto", "401 TOKEN_REQUIRED"],
    ["auto, the local network", { peerAddress: "192.168.1.7" }, "auto", "401 TOKEN_REQUIRED"],
    ["auto, a mapped neighbour", { peerAddress: "::ffff:192.168.1.7" }, "auto", "401 TOKEN_REQUIRED"],
    ["auto, link-local", { peerAddress: "fe80::1%eth0" }, "auto", "401 TOKEN_REQUIRED"],
    ["auto, a peer that has disconnected", { peerAddress: undefined }, "auto", "401 TOKEN_REQUIRED"],
  ])("%s", (_, from, auth, expected) => {
    expect(verdict({ from, settings: { auth } })).toBe(expected);
  });

  it.each([
    "Forwarded",
    "X-Forwarded-For",
    "x-forwarded-host",
    "X-Forwarded-Proto",
    "X-Forwarded",
    "X_Forwarded_For",
    "X-Real-IP",
    "Via",
    "CF-Connecting-IP",
    "CF-Ray",
    "True-Client-IP",
    "X-Client-IP",
    "X-Original-Forwarded-For",
    "Fly-Client-IP",
    "Tailscale-User-Login",
    "Z-Forwarded-For",
    "HTTP_X_FORWARDED_FOR",
    "X-Forward-For",
    "WL-Proxy-Client-IP",
    "X-Sucuri-ClientIP",
    "Ali-Cdn-Real-Ip",
    "Remote-Addr",
    "X-ARR-LOG-ID",
    "X-Vercel-Forwarded-For",
  ])("a loopback peer that sends %s needs the token", (name) => {
    expect(verdict({ headers: [name, "127.0.0.1"] })).toBe("401 TOKEN_REQUIRED");
    expect(verdict({ headers: [name, ""] })).toBe("401 TOKEN_REQUIRED");
    expect(verdict({ headers: [name, "127.0.0.1", "Authorization", right] })).toBe("token, cells");
  });

  it("the refusal asks for a bearer token and explains where to find it, without showing a path", () => {
    const admission = decide({ settings: { auth: "token" } });
    expect(admission).toMatchObject({ headers: { "WWW-Authenticate": "Bearer" } });
    expect(admission).toMatchObject({ message: expect.stringContaining("THOUGHTBOX_TOKEN") });
    expect(JSON.stringify(admission)).not.toMatch(/\/(home|root|tmp|var)/);
  });

  it("a page of a trusted origin can read that it needs a token", () => {
    const origin = "http://localhost:3000";
    expect(decide({ headers: ["Origin", origin], settings: { auth: "token" } })).toMatchObject({
      status: 401,
      headers: { "Access-Control-Allow-Origin": origin, Vary: "Origin" },
    });
  });

  it("the caller is anonymous on an open server, and the owner on the others", () => {
    expect(decide({ settings: { auth: "off" } })).toMatchObject({ principal: "anonymous" });
    expect(decide({})).toMatchObject({ principal: "owner" });
  });
});

describe("the cookie of a page", () => {
  const settings = { hasPages: true, auth: "token" } as const;
  const shown = { method: "GET", target: `/?token=${token}` };
  const accessFor = (from: Partial<InboundRequest>, headers: readonly string[] = []) => {
    const admission = decide({ from: { ...from, ...shown }, headers, settings });
    return (admission.outcome === "admitted" && admission.pageAccess) || { cookie: "none", proof: "none" };
  };
  const cookieFor = (from: Partial<InboundRequest>, headers: readonly string[] = []) =>
    accessFor(from, headers).cookie;
  const proven = ["Thoughtbox-Page", accessFor({}).proof];
  const remote = { peerAddress: "203.0.113.9", peer: "203.0.113.9", peerIsOurUid: undefined };
  const proxied = ["X-Forwarded-For", "198.51.100.7"];

  it.each<[string, string, Partial<InboundRequest>, readonly string[], string]>([
    ["opens everything to the browser that sent the token", cookieFor({}), {}, [], "cookie, cells"],
    ["opens everything to a browser on another machine", cookieFor(remote), remote, [], "cookie, cells"],
    [
      "opens everything to a browser behind a proxy",
      cookieFor(remote, proxied),
      { peer: "203.0.113.10" },
      proxied,
      "cookie, cells",
    ],
    [
      "is refused from another user of this machine",
      cookieFor({}),
      { peer: "uid 1001" },
      [],
      "401 TOKEN_REQUIRED",
    ],
    ["is refused from another machine", cookieFor({}), remote, [], "401 TOKEN_REQUIRED"],
    [
      "is refused from this machine if it was set for another",
      cookieFor(remote),
      {},
      [],
      "401 TOKEN_REQUIRED",
    ],
    [
      "is refused from a caller who claims to be a proxy",
      cookieFor({}),
      remote,
      proxied,
      "401 TOKEN_REQUIRED",
    ],
  ])("%s", (_, cookie, from, headers, expected) => {
    expect(verdict({ headers: ["Cookie", cookie, ...proven, ...headers], from, settings })).toBe(expected);
  });

  it.each<[string, readonly string[]]>([
    ["nothing else", []],
    ["an empty proof", ["Thoughtbox-Page", ""]],
    ["a wrong proof", ["Thoughtbox-Page", "A".repeat(43)]],
    ["its own value as proof", ["Thoughtbox-Page", cookieFor({}, proxied).split("=")[1] ?? ""]],
    ["the proof of another port", ["Thoughtbox-Page", accessFor({ localPort: 1730 }).proof]],
    [
      "a wrong proof for a WebSocket",
      ["Sec-WebSocket-Protocol", `thoughtbox, thoughtbox.page.${"A".repeat(43)}`],
    ],
  ])("with %s, as another server on this host could send it, opens only files", (_, more) => {
    for (const headers of [[], proxied]) {
      const cookie = cookieFor({}, headers);
      const admission = decide({ headers: ["Cookie", cookie, ...headers, ...more], settings });
      expect(admission).toMatchObject({ isUnproven: true, principal: "anonymous", mayRunCells: false });
    }
  });

  it("opens everything if a WebSocket protocol contains the proof", () => {
    const protocols = `thoughtbox, thoughtbox.page.${proven[1]}`;
    const headers = ["Cookie", cookieFor({}, proxied), ...proxied, "Sec-WebSocket-Protocol", protocols];
    expect(decide({ headers, settings })).toMatchObject({ principal: "owner", how: "cookie" });
  });

  it("cannot be replaced with the proof", () => {
    expect(verdict({ headers: [...proven, ...proxied], settings })).toBe("401 TOKEN_REQUIRED");
  });

  it("does not restrict callers who need no token", () => {
    for (const auth of ["off", "auto"] as const)
      expect(
        decide({ headers: ["Cookie", cookieFor({})], settings: { ...settings, auth } }),
      ).not.toHaveProperty("isUnproven");
  });

  it("is valid only for its port, under any name", () => {
    const [name = "", value = ""] = cookieFor({ localPort: 1729 }).split("=");
    const at = (cookie: string, localPort: number) =>
      verdict({
        headers: ["Cookie", cookie, "Thoughtbox-Page", accessFor({ localPort }).proof],
        from: { localPort },
        settings,
      });
    expect(at(`${name}=${value}`, 1729)).toBe("cookie, cells");
    expect(at(`${name}=${value}`, 1730)).toBe("401 TOKEN_REQUIRED");
    expect(at(`thoughtbox-1730=${value}`, 1730)).toBe("401 TOKEN_REQUIRED");
  });

  it("is not set if the server has no pages", () => {
    const admission = decide({ headers: ["Authorization", right] });
    expect(admission).not.toHaveProperty("pageAccess");
  });
});

describe("rule 7: running cells", () => {
  it.each<[string, readonly string[], string]>([
    ["no Origin", [], "loopback, cells"],
    ["a page of this port", ["Origin", "http://localhost:1731"], "loopback, cells"],
    ["our user interface", ["Origin", "http://localhost:1729"], "loopback, cells"],
    ["another loopback page", ["Origin", "http://localhost:3000"], "401 TOKEN_REQUIRED"],
    [
      "another loopback page with the token",
      ["Origin", "http://localhost:3000", "Authorization", right],
      "token, cells",
    ],
    ["another name of this port", ["Origin", "http://127.0.0.1:1731"], "401 TOKEN_REQUIRED"],
    ["this port over https", ["Origin", "https://localhost:1731"], "401 TOKEN_REQUIRED"],
    [
      "a development server that forwards with its own Host",
      ["Host", "localhost:3000", "Origin", "http://localhost:3000"],
      "401 TOKEN_REQUIRED",
    ],
    ["an allow-listed page", ["Origin", "https://app.example.com"], "loopback, no cells"],
  ])("%s", (_, headers, expected) => {
    const settings = {
      uiOrigins: () => ["http://localhost:1729"],
      allowedOrigins: ["https://app.example.com"],
    };
    expect(verdict({ headers, settings })).toBe(expected);
  });

  it("an open server does not let pages run cells", () => {
    const settings = { auth: "off", allowedOrigins: ["http://localhost:3000"] } as const;
    expect(verdict({ headers: ["Origin", "http://localhost:3000"], settings })).toBe("open, no cells");
  });
});

describe("preflights", () => {
  const ask = (origin: string) => ["Origin", origin, "Access-Control-Request-Method", "POST"];
  const from = { method: "OPTIONS", peerAddress: "203.0.113.9" };
  const settings = { auth: "token", allowedOrigins: ["https://app.example.com"] } as const;

  it.each<[string, Vector, string]>([
    [
      "a trusted origin is answered without the token a browser cannot send here",
      { headers: ask("https://app.example.com"), from, settings },
      "preflight for https://app.example.com",
    ],
    [
      "a foreign origin is refused",
      { headers: ask("https://evil.example"), from, settings },
      "403 ORIGIN_NOT_ALLOWED",
    ],
    ["null is refused", { headers: ask("null"), from, settings }, "403 ORIGIN_NOT_ALLOWED"],
    [
      "a foreign Host is refused",
      { headers: ["Host", "evil.example", ...ask("https://app.example.com")], from, settings },
      "421 HOST_NOT_ALLOWED",
    ],
    [
      "OPTIONS without a requested method is an ordinary request",
      { headers: ["Origin", "https://app.example.com"], from, settings },
      "401 TOKEN_REQUIRED",
    ],
    [
      "OPTIONS without Origin is an ordinary request",
      { headers: ["Access-Control-Request-Method", "POST"], from, settings },
      "401 TOKEN_REQUIRED",
    ],
    [
      "a POST that looks like a preflight is an ordinary request",
      { headers: ask("https://app.example.com"), from: { ...from, method: "POST" }, settings },
      "401 TOKEN_REQUIRED",
    ],
  ])("%s", (_, vector, expected) => {
    expect(verdict(vector)).toBe(expected);
  });
});
