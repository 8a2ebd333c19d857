import { describe, expect, it } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { formatIpv6, isCanonicalIpv6, parseIpv4, parseIpv6 } from "./ip-literal.ts";

const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});

describe("IP literals", () => {
  it("formats an IPv6 address as browsers do, and parses it back", () => {
    fc.assert(
      fc.property(groups, (address) => {
        const spelled = formatIpv6(address);
        expect(new URL(`http://[${spelled}]/`).hostname).toBe(`[${spelled}]`);
        expect(parseIpv6(spelled)).toEqual(address);
        expect(isCanonicalIpv6(spelled)).toBe(true);
      }),
    );
  });

  it("accepts only one spelling of an IPv4 address", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(parseIpv4(address)?.join(".")).toBe(address);
        expect(parseIpv4(`0${address}`)).toBeUndefined();
        expect(parseIpv4(`${address}.`)).toBeUndefined();
      }),
    );
  });

  it.each(["", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4::5:6:7:8", "g::", "::1::"])(
    "refuses %j as an IPv6 address",
    (text) => {
      expect(parseIpv6(text)).toBeUndefined();
    },
  );
});
