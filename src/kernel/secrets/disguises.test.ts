import { expect, test } from "vitest";
import { findSecrets, maskSecrets } from "./secrets.ts";

/** Assembled at run time so that nothing in the repository looks like a leak. */
const github = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
const openai = ["sk", "proj", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY"].join("-");
const wide = (text: string) =>
  text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
const bold = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a));
const broken = (text: string, at: number, by: string) => `${text.slice(0, at)}${by}${text.slice(at)}`;
const lines = (text: string, width: number, by: string) =>
  text.replace(new RegExp(`.{${width}}(?=.)`, "g"), (line) => line + by);
const keyMaterial = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
const pemLabel = ["PRIVATE", "KEY"].join(" ");
const pem = `-----BEGIN ${pemLabel}-----\n${`${keyMaterial}\n`.repeat(25)}MzEfYyjiWA4R4/M2bS1GB4t7\n-----END ${pemLabel}-----\n`;
const serviceAccount = JSON.stringify(
  { type: "service_account", project_id: "shop", private_key: pem },
  null,
  2,
);

test.each([
  ["a line break", broken(github, 20, "\n")],
  ["a Windows line break", broken(github, 20, "\r\n")],
  ["a line break and an indentation", broken(github, 20, "\n    ")],
  ["a continued line", broken(github, 20, "\\\n")],
  ["a quotation in an email", broken(github, 20, "\n> ")],
  ["a line break in a longer key", broken(openai, 24, "\n")],
  ["a zero-width space", broken(github, 10, "\u200b")],
  ["a zero-width space in the prefix", broken(github, 2, "\u200b")],
  ["a soft hyphen", broken(github, 20, "\u00ad")],
  ["many joiners", github.split("").join("\u200d")],
  ["full-width letters", wide(github)],
  ["URL encoding", github.replace("_", "%5F")],
  ["URL encoding of letters", github.replace("Zq", "%5A%71")],
  ["bold letters", bold(github)],
  ["JavaScript escapes", github.replace("gh", "\\x67\\x68")],
  ["JSON escapes", github.replace("Zq", "\\u005a\\u0071")],
  ["base64", Buffer.from(github).toString("base64")],
  ["base64 of a longer text", Buffer.from(`token: ${openai}\nuser: ada`).toString("base64")],
  ["URL-safe base64", Buffer.from(`~~~???${openai}`).toString("base64url")],
  ["base64 of a whole key file", Buffer.from(pem).toString("base64")],
  ["base64 of a key file in lines", lines(Buffer.from(pem).toString("base64"), 76, "\n")],
  ["base64 of a key file in lines of an email", lines(Buffer.from(pem).toString("base64"), 64, "\r\n> ")],
  ["base64 of a key file in a JSON string", lines(Buffer.from(pem).toString("base64"), 76, "\\n")],
  ["base64 of a service account", Buffer.from(serviceAccount).toString("base64")],
  [
    "base64 of a file with a password",
    Buffer.from('{"user":"ada","password":"s3cr3tPass!"}').toString("base64"),
  ],
  ["base64 of settings", Buffer.from("DB_HOST=db\nDB_PASSWORD=s3cr3tPass9x\n").toString("base64")],
  [
    "base64 of a file with base64 of a key file",
    Buffer.from(`client-key-data: ${Buffer.from(pem).toString("base64")}\n`).toString("base64"),
  ],
  ["base64 of UTF-16", Buffer.from(`$env:TOKEN = '${github}'`, "utf16le").toString("base64")],
  [
    "base64 of a text with non-ASCII letters",
    Buffer.from(`Schlüssel für Köln: ${github}`).toString("base64"),
  ],
  ["hexadecimal digits", Buffer.from(github).toString("hex")],
  ["hexadecimal digits with a prefix", `0x${Buffer.from(openai).toString("hex").toUpperCase()}`],
  ["hexadecimal digits in lines", lines(Buffer.from(pem).toString("hex"), 60, "\n")],
  ["terminal colours", `\u001b[01;31m\u001b[Kghp_\u001b[m\u001b[K${github.slice(4)}`],
  ["a variation selector", broken(github, 10, "\ufe01")],
  ["a Hangul filler", broken(github, 10, "\u3164")],
  ["tags", broken(github, 10, "\u{e0061}\u{e0062}")],
  ["an encoded assignment", `password%3D${github.slice(4, 24)}`],
])("finds a secret disguised by %s and masks all of it", (_how, disguised) => {
  const text = `it is ${disguised} and more`;
  expect(findSecrets(text)).not.toEqual([]);
  const masked = maskSecrets(text);
  expect(masked.startsWith("it is ")).toBe(true);
  expect(masked.endsWith(" and more")).toBe(true);
  expect(masked).not.toContain(disguised.slice(-10));
  expect(masked).not.toContain(disguised.slice(4, 14));
});

test("finds a secret anywhere in base64 of a long file", () => {
  for (let before = 49_120; before <= 49_160; before += 1) {
    const encoded = Buffer.from(`${"x=1\n".repeat(20_000).slice(0, before)}\n${github}\n`).toString("base64");
    expect(maskSecrets(encoded)).toBe("[secret:github-token]");
  }
});

test.each([
  ["a password given to curl", `curl -u ada:${"s3cr3tPass"} https://example.org`],
  [
    "a password given to curl after other options",
    `curl -s -X POST --user "ada:${"s3cr3tPass"}" https://example.org`,
  ],
  ["a password given to mysql", `mysql -h db -u root -p${"s3cr3tPass"} shop`],
  ["a password given to mysqldump", `mysqldump -u root -p'${"s3cr3tPass"}' shop`],
  ["a password given to any program", `deploy --user ada --password ${"s3cr3tPass"} --force`],
  ["a token given to any program", `gh auth login --token '${"s3cr3tPass9x"}'`],
  ["a password given to sshpass", `sshpass -p ${"s3cr3tPass"} ssh ada@example.org`],
  ["a password in a netrc", `machine example.org login ada password ${"s3cr3tPass"}`],
  ["a password in a netrc of several lines", `machine example.org\n  login ada\n  password ${"s3cr3tPass"}`],
  ["a password in a sentence", `The password is ${"s3cr3tPass"}, please change it.`],
  ["a short password in a sentence", `the password is ${"hunter2"}`],
  ["a password for something", `The password for the db is ${"s3cr3tPass"}.`],
  ["a password for someone, after a colon", `password for ada on db-1: ${"s3cr3tPass"}`],
  ["a password of something", `The root password of the staging server was "${"s3cr3tPass"}" until May.`],
  ["a password that is used", `Connect with the password ${"s3cr3tPass"} then.`],
  ["a password that is named afterwards", `${"s3cr3tPass"} is the password for the db`],
  ["a password to use", `Use \`${"s3cr3tPass"}\` as the admin password.`],
  ["a Docker login", `{"auths":{"ghcr.io":{"auth":"${Buffer.from("ada:s3cr3tPass").toString("base64")}"}}}`],
  ["an npm login", `//registry.example.org/:_auth=${Buffer.from("ada:s3cr3tPass").toString("base64")}`],
  ["a cookie", `Cookie: theme=dark; session=${"s3cr3tPass"}Zq8vK2mN4pR6tW8yB1dF`],
  ["a cookie that is set", `Set-Cookie: sid=${"s3cr3tPass"}Zq8vK2mN4pR6tW8yB1dF; HttpOnly; Path=/`],
])("finds %s", (_what, text) => {
  expect(findSecrets(text)).toHaveLength(1);
  expect(maskSecrets(text)).not.toMatch(/s3cr3tPass|hunter2|YWRhOnMz/);
});

test.each([
  "curl -u $USER:$PASSWORD https://example.org",
  "curl -u user:password https://example.org",
  "docker run -u 1000:1000 alpine",
  "mysql -u root -p shop",
  "docker login --password $PASSWORD",
  "tool --token <your-token> --password --stdin",
  "use --secret management or --token authentication",
  "mysql --protocol tcp",
  "The password is required.",
  "the password is at least 8 characters",
  "The password was changed yesterday.",
  "The password for the database is stored in Vault.",
  "the password for user1 is sha256-hashed",
  "password for the account: see 1Password",
  "with password authentication or a password manager",
  "That is the password for the account",
  "it counts as the password",
  `"auth": "${Buffer.from("nothing with a colon").toString("base64")}"`,
  Buffer.from("The quick brown fox jumps over the lazy dog, and nothing more.").toString("base64"),
  Buffer.from('{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}').toString("base64"),
  Buffer.from("The quick brown fox jumps over the lazy dog").toString("hex"),
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "\u001b[31mred\u001b[0m and \u001b[1mbold\u001b[0m",
  "Cookie: theme=dark",
  "document.cookie = name + value",
  "login and password",
  "100%25 of them",
  "\\x1b[31mred\\x1b[0m and \\u00e9t\\u00e9",
  "𝐛𝐨𝐥𝐝 words in a title",
  "%20%20%20",
  "one line\nand the next line",
  "task-force\nanother-line-of-text",
  "日本語の文字",
  "\ufeffconst x = 1;",
])("finds no secret in %j", (text) => {
  expect(findSecrets(text)).toEqual([]);
});

// A quadratic scan of a mebibyte would take minutes and run into the test's timeout.
test.each([
  "curl -u ",
  "curl ",
  "mysql -p",
  "mysql ",
  "sshpass -p",
  "login x password ",
  "login ",
  "cookie: a=",
  "cookie:",
  "password is ",
  "%41",
  "\\x41",
  "\u{1d41a}",
  "\u200b",
  "\uff41",
  "ghp_a\n",
  "aaaa\n",
  "aaaaaaaa",
  `${"QUJD".repeat(19)}\n`,
  `${"QUJD".repeat(19)}\\n`,
  "6768",
  "password for ",
  "is the password ",
  "with password ",
  "\u001b[31m",
])("scans a mebibyte of %j", (unit) => {
  findSecrets(unit.repeat(1_048_576 / unit.length));
});
