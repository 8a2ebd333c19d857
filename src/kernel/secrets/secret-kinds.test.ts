import { expect, test } from "vitest";
import { madeUpSecrets } from "./made-up-secrets.testing.ts";
import { findSecrets, maskSecrets } from "./secrets.ts";

test.each(madeUpSecrets)("a %s is found wherever it stands, and nothing of it remains", (kind, secret) => {
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
])("%j is no secret", (text) => {
  expect(findSecrets(text)).toEqual([]);
});
