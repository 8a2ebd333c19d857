import { describe, expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { createDeepMask, findSecrets, maskSecrets } from "./secrets.ts";

// Assembled at run time so that no scanner reports this file as a leak.
const random = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";
const github = `ghp_${random}`;
const jwt = `eyJ${"hbGciOiJIUzI1NiJ9"}.eyJ${"zdWIiOiIxMjM0In0"}.${"dozjgNryP4J3jVmN"}`;
const pem = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;

describe("finds and masks a whole secret", () => {
  test.each([
    ["github-token", github],
    ["github-token", `gho_${random}`],
    ["github-token", `ghs_${random}`],
    ["github-token", `ghu_${random}`],
    ["github-token", `github_pat_11ABCDEFG0${random}_${random}`],
    ["api-key", `sk-${random}`],
    ["api-key", `sk-ant-api03-${random}_${random}-AA`],
    ["api-key", `sk-proj-${random}`],
    ["api-key", "sk-abcdefghijklmnopqrstuvwxyz"],
    ["aws-access-key", "AKIAIOSFODNN7EXAMPLE"],
    ["aws-access-key", "ASIAIOSFODNN7EXAMPLE"],
    ["slack-token", "xoxb-123456789012-abcdefABCDEF"],
    ["google-api-key", `AIza${random.slice(0, 35)}`],
    ["jwt", jwt],
    ["private-key", pem("PRIVATE KEY", "MIIEvQIBADAN")],
    [
      "private-key",
      pem("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\nMIIEowIBAAKCAQEA+/=="),
    ],
    ["private-key", pem("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjE").replaceAll("\n", "\\n")],
  ])("%s %s", (kind, secret) => {
    const text = `I ran it with ${secret} and it worked`;
    expect(findSecrets(text)).toEqual([{ kind, start: 14, end: 14 + secret.length }]);
    expect(maskSecrets(text)).toBe(`I ran it with [secret:${kind}] and it worked`);
  });

  test.each([
    ["Authorization: Bearer abc123def456", "Authorization: Bearer [secret:bearer-token]"],
    [
      "curl -H 'authorization: bearer AbCdEfGhIjKlMnOpQrSt'",
      "curl -H 'authorization: bearer [secret:bearer-token]'",
    ],
    [`Authorization: Bearer ${jwt}`, "Authorization: Bearer [secret:jwt]"],
    ["Authorization: Basic dXNlcjpwYXNzdzByZA==", "Authorization: Basic [secret:credential]"],
    ["DB_PASSWORD=hunter2hunter2", "DB_PASSWORD=[secret:credential]"],
    ["secret: db_password: hunter2hunter2", "secret: db_password: [secret:credential]"],
    ["password: P@ssword!", "password: [secret:credential]"],
    ["password: 12345678", "password: [secret:credential]"],
    ['{"client_secret": "8f3b(2)c9,d1"}', '{"client_secret": "[secret:credential]"}'],
    ['"{\\"apiKey\\":\\"9f8e7d6c5b4a\\"}"', '"{\\"apiKey\\":\\"[secret:credential]\\"}"'],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "aws_secret_access_key = [secret:credential]"],
    ["https://x.io/cb?token=a1b2c3d4e5&user=bob", "https://x.io/cb?token=[secret:credential]&user=bob"],
    ["X-Api-Key: 3fa85f64-5717-4562-b3fc-2c963f66afa6", "X-Api-Key: [secret:credential]"],
    [`"log": "first line\\n${github}"`, '"log": "first line\\n[secret:github-token]"'],
    [`export GITHUB_TOKEN="${github}"`, 'export GITHUB_TOKEN="[secret:github-token]"'],
    [`a ${github}, b ${github}.`, "a [secret:github-token], b [secret:github-token]."],
  ])("%s", (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test("masks a truncated key block to its end", () => {
    const cut = `-----BEGIN PRIVATE KEY-----\n${random}\n${random}\n`;
    expect(maskSecrets(`${cut}Then the paste ended.`)).toBe("[secret:private-key]Then the paste ended.");
  });
});

test.each([
  "the token bucket algorithm",
  "password: must be at least 8 characters",
  "password: mandatory, 8-64 characters",
  "sk-learn and sk-fading-circle-12 and task-1234567890abcdefghij",
  "Bearer of bad news; Bearer authentication-middleware; Bearer token-validation-v2",
  "token: string | undefined; secret?: boolean",
  "const token = createToken2(request);",
  "password: z.string().min(8).max(64)",
  "token = process.env.GITHUB_TOKEN_V2",
  "password=<password1> token=<token> secret=your-password api_key=********",
  "api_key: $" + "{API_KEY_2} and token: $TOKEN_V2",
  "authorization: https://auth0.example.com/oauth2/v1",
  "private_key: ~/.ssh/id_ed25519 or /etc/ssl/key1.pem",
  "password: argon2id, token: oauth2-bearer, secret: HMAC-SHA256",
  "token: 2024-06-15T10:00:00Z, secret: v1.2.3-beta",
  "max_tokens: 128000000, tokens=12345678",
  "api_key: xxxxxxxxxxxxxxxx, sk-xxxxxxxxxxxxxxxxxxxxxxxx, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "ASIAPACIFICSOUTHEAST is a region",
  'const start = "-----BEGIN PRIVATE KEY-----", end = "-----END PRIVATE KEY-----";',
  "the header is -----BEGIN PRIVATE KEY----- and then base64",
  "secret: see CVE-2024-12345 and issue-4711",
  "authorization: alice1@example.com",
  "A JWT starts with eyJ and has three parts: eyJ.eyJ.sig",
  "token === undefined && secret !== other",
])("finds nothing in ordinary engineering text: %s", (text) => {
  expect(findSecrets(text)).toEqual([]);
});

test("masking twice gives the same text as masking once", () => {
  const pieces = fc.constantFrom(
    ...[
      github,
      jwt,
      "password=",
      "token: ",
      "Bearer ",
      "sk-",
      "hunter2!x",
      '"',
      " ",
      "\n",
      "secret:",
      "[",
      "a1b2c3d4",
    ],
  );
  fc.assert(
    fc.property(fc.string({ unit: pieces, maxLength: 12 }), (text) => {
      const masked = maskSecrets(text);
      expect(masked).not.toContain(github);
      expect(maskSecrets(masked)).toBe(masked);
    }),
  );
});

test("findings are inside the text, in order and without overlap", () => {
  const pieces = fc.constantFrom(
    github,
    jwt,
    "password=",
    "x1y2z3w4v5",
    " ",
    "Bearer ",
    pem("PRIVATE KEY", random),
  );
  fc.assert(
    fc.property(fc.string({ unit: pieces, maxLength: 12 }), (text) => {
      let end = 0;
      for (const found of findSecrets(text)) {
        expect(found.start).toBeGreaterThanOrEqual(end);
        expect(found.end).toBeGreaterThan(found.start);
        end = found.end;
      }
      expect(end).toBeLessThanOrEqual(text.length);
    }),
  );
});

test("an ID is not a secret unless it is named like one", () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      // The leading space makes the search use all shapes.
      expect(findSecrets(` ${id}`)).toEqual([]);
      expect(findSecrets(id)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  expect(findSecrets(`token=${crypto.randomUUID()}`)).toHaveLength(1);
});

describe("a deep mask", () => {
  const maskSecretsDeep = createDeepMask();

  test("returns a value without a secret unchanged, at every depth", () => {
    const clean = { title: "a title", tags: ["a", "b"], steps: [{ number: 1, text: "a thought" }] };
    expect(maskSecretsDeep(clean)).toBe(clean);
    const mixed = { clean, note: `it is ${github}` };
    const masked = maskSecretsDeep(mixed) as typeof mixed;
    expect(masked.clean).toBe(clean);
    expect(masked.note).toBe("it is [secret:github-token]");
    expect(mixed.note).toContain(github);
  });

  test("treats a key the same however often it occurs and however many keys there are", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`field-${n}`, "x"]));
    for (const round of [1, 2]) {
      expect(maskSecretsDeep(many), `round ${round}`).toBe(many);
      expect(maskSecretsDeep({ [github]: 1, password: "x", "API-Key": "y" })).toEqual({
        "[secret:github-token]": 1,
        password: "[secret:credential]",
        "API-Key": "[secret:credential]",
      });
    }
  });

  test("masks strings, keys and members with secret names at every depth", () => {
    const value = {
      note: `use ${github}`,
      list: [{ Password: "short", api_key: 42, "private-key": ["one", { two: "three", four: null }] }],
      accessToken: "abc",
      [github]: true,
    };
    expect(maskSecretsDeep(value)).toEqual({
      note: "use [secret:github-token]",
      list: [
        {
          Password: "[secret:credential]",
          api_key: "[secret:credential]",
          "private-key": ["[secret:credential]", { two: "[secret:credential]", four: null }],
        },
      ],
      accessToken: "[secret:credential]",
      "[secret:github-token]": true,
    });
  });

  test("returns an equal value if nothing is secret, and never changes the original", () => {
    const value = { nextPageToken: "p2", tokens: 12, secretary: "Ada", password: "", authorization: null };
    const before = structuredClone(value);
    expect(maskSecretsDeep(value)).toEqual(before);
    maskSecretsDeep({ token: ["a"] });
    expect(value).toEqual(before);
  });

  test("keeps an own key named __proto__ as a plain key", () => {
    const masked = maskSecretsDeep(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(Object.hasOwn(masked as object, "__proto__")).toBe(true);
    expect((masked as { admin?: boolean }).admin).toBeUndefined();
  });
});
