import { expect, test } from "vitest";
import { madeUpSecrets, makeSecrets } from "./made-up-secrets.testing.ts";
import { secretShapes, vendorShapes } from "./secret-shapes.ts";
import { findSecrets, maskSecrets } from "./secrets.ts";
import { typedShapes } from "./typed-shapes.ts";

test.each(madeUpSecrets)("finds a %s anywhere in the text and masks all of it", (kind, secret) => {
  for (const text of [
    secret,
    `it is ${secret}.`,
    `"${secret}"`,
    `KEY=${secret}\n`,
    `{\\"key\\":\\"${secret}\\"}`,
  ]) {
    const used = kind === "url-password" ? text.replace(secret, `${secret}@example.org/x`) : text;
    expect(findSecrets(used).map((found) => found.kind)).toContain(kind);
    expect(maskSecrets(used)).not.toContain(secret.slice(-12));
  }
});

test("finds every kind of secret, whatever its key material", () => {
  for (let seed = 2; seed <= 40; seed += 1)
    for (const [kind, secret] of makeSecrets(seed)) {
      const text = kind === "url-password" ? `${secret}@example.org` : `it is ${secret}.`;
      expect(
        findSecrets(text).map((found) => found.kind),
        text,
      ).toContain(kind);
    }
});

test("every kind of secret has a sample", () => {
  const generic = ["bearer-token", "credential", "private-key"];
  const sampled = new Set([...madeUpSecrets.map(([kind]) => kind), ...generic]);
  expect([...secretShapes, ...typedShapes, ...vendorShapes].filter(({ kind }) => !sampled.has(kind))).toEqual(
    [],
  );
});

test.each([
  "postgres://user:password@localhost/shop",
  "https://user:$PASSWORD@example.org",
  "redis://:{{REDIS_PASSWORD}}@cache:6379",
  "http://localhost:3000/@scope/name",
  "git@example.org:team/shop.git",
  "https://example.org/a:b@c",
  "npm_config_registry",
  "hf_transfer",
  "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
  "glpat-xxxxxxxxxxxxxxxxxxxx",
  "SG.1",
  "key-value-pairs-and-their-defaults",
  "SKU0123456789",
  "fm2_",
  "v1.0-beta",
  "12345678:AAA",
  "sha256~",
  "dapi and hvs. and pul-request",
])("finds no secret in %j", (text) => {
  expect(findSecrets(text)).toEqual([]);
});
