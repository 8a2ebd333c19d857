import { expect, test } from "vitest";
import fc from "../../../tests/support/fast-check.ts";
import { hasRandomPart, looksLikeSecret } from "./secret-values.ts";

test.each([
  "hunter2hunter2",
  "P@ssword!",
  "12345678",
  "dXNlcjpwYXNzdzByZA==",
  "abcdefghijklmnopqrstuvwxyz",
  "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  "postgres://app:s3cret@db/main",
])("%s looks like a secret", (value) => {
  expect(looksLikeSecret(value)).toBe(true);
});

test.each([
  "short1",
  "undefined",
  "required.",
  "correct-horse-battery",
  "2024-06-15T10:00:00Z",
  "10.000.000",
  "RFC6750-compliant",
  "PBKDF2-SHA256",
  "process.env.TOKEN_2",
  "https://auth0.example.com/v2",
  "../keys/dev1.pem",
  "alice1@example.com",
  "your-token-123456",
  "<token-1234>",
  "abc1...wxyz",
  "00000000",
])("%s does not look like a secret", (value) => {
  expect(looksLikeSecret(value)).toBe(false);
});

test("a random hexadecimal value of 32 digits looks like a secret", () => {
  const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 32, maxLength: 64 });
  fc.assert(
    fc.property(hex, (value) => {
      fc.pre(/\d[a-f]+\d+[a-f]/.test(value) && !/^(.)\1*$/.test(value));
      expect(looksLikeSecret(value)).toBe(true);
    }),
  );
});

test("distinguishes random key material from words", () => {
  expect(hasRandomPart("sk-ant-api03-a1b2c3d4e5f6")).toBe(true);
  expect(hasRandomPart("sk-fading-circle-12-container")).toBe(false);
});
