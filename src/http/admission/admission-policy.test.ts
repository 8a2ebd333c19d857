import { describe, expect, it } from "vitest";
import { token } from "../test-support/verdict.ts";
import { createAdmissionPolicy } from "./admission-policy.ts";

describe("the policy", () => {
  it.each([
    "*",
    "null",
    "https://app.example.com/",
    "https://*.example.com",
    "app.example.com",
    "https://u@x",
  ])("refuses the allowed origin %s, which could never match", (origin) => {
    expect(() => createAdmissionPolicy({ auth: "auto", token, allowedOrigins: [origin] })).toThrow(
      "THOUGHTBOX_ALLOWED_ORIGINS",
    );
  });

  it.each(["*", "https://box.example.com", "box.example.com/", ""])("refuses the allowed host %j", (host) => {
    expect(() => createAdmissionPolicy({ auth: "auto", token, allowedHosts: [host] })).toThrow(
      "THOUGHTBOX_ALLOWED_HOSTS",
    );
  });

  it("refuses an empty token, which an empty header would match", () => {
    expect(() => createAdmissionPolicy({ auth: "auto", token: "" })).toThrow("token");
  });
});
