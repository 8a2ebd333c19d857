import { expect, test } from "vitest";
import { findSecrets, maskSecrets } from "./secrets.ts";

/** Put together here, so that nothing in the repository looks like a leak. */
const github = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");
const openai = ["sk", "proj", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY"].join("-");
const wide = (text: string) =>
  text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
const bold = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a));
const broken = (text: string, at: number, by: string) => `${text.slice(0, at)}${by}${text.slice(at)}`;

test.each([
  ["a line end", broken(github, 20, "\n")],
  ["a line end of Windows", broken(github, 20, "\r\n")],
  ["a line end and an indentation", broken(github, 20, "\n    ")],
  ["a continued line", broken(github, 20, "\\\n")],
  ["a quoted mail", broken(github, 20, "\n> ")],
  ["a line end in a longer key", broken(openai, 24, "\n")],
  ["a zero-width space", broken(github, 10, "\u200b")],
  ["a zero-width space in the prefix", broken(github, 2, "\u200b")],
  ["a soft hyphen", broken(github, 20, "\u00ad")],
  ["many joiners", github.split("").join("\u200d")],
  ["full-width letters", wide(github)],
  ["URL encoding", github.replace("_", "%5F")],
  ["URL encoding of letters", github.replace("Zq", "%5A%71")],
  ["bold letters", bold(github)],
  ["escapes of JavaScript", github.replace("gh", "\\x67\\x68")],
  ["escapes of JSON", github.replace("Zq", "\\u005a\\u0071")],
  ["base64", Buffer.from(github).toString("base64")],
  ["base64 of a longer text", Buffer.from(`token: ${openai}\nuser: ada`).toString("base64")],
  ["base64 for addresses", Buffer.from(`~~~???${openai}`).toString("base64url")],
  ["an encoded assignment", `password%3D${github.slice(4, 24)}`],
])("a secret disguised by %s is found, and nothing of it remains", (_how, disguised) => {
  const text = `it is ${disguised} and more`;
  expect(findSecrets(text)).not.toEqual([]);
  const masked = maskSecrets(text);
  expect(masked.startsWith("it is ")).toBe(true);
  expect(masked.endsWith(" and more")).toBe(true);
  expect(masked).not.toContain(disguised.slice(-10));
  expect(masked).not.toContain(disguised.slice(4, 14));
});

test.each([
  ["a password given to curl", `curl -u ada:${"s3cr3tPass"} https://example.org`],
  [
    "one given to curl after other options",
    `curl -s -X POST --user "ada:${"s3cr3tPass"}" https://example.org`,
  ],
  ["one given to mysql", `mysql -h db -u root -p${"s3cr3tPass"} shop`],
  ["one given to mysqldump", `mysqldump -u root -p'${"s3cr3tPass"}' shop`],
  ["one given to any program", `deploy --user ada --password ${"s3cr3tPass"} --force`],
  ["a token given to any program", `gh auth login --token '${"s3cr3tPass9x"}'`],
  ["one given to sshpass", `sshpass -p ${"s3cr3tPass"} ssh ada@example.org`],
  ["one in a netrc", `machine example.org login ada password ${"s3cr3tPass"}`],
  ["one in a netrc of several lines", `machine example.org\n  login ada\n  password ${"s3cr3tPass"}`],
  ["one in a sentence", `The password is ${"s3cr3tPass"}, please change it.`],
  ["a short one in a sentence", `the password is ${"hunter2"}`],
  ["a cookie", `Cookie: theme=dark; session=${"s3cr3tPass"}Zq8vK2mN4pR6tW8yB1dF`],
  ["a cookie that is set", `Set-Cookie: sid=${"s3cr3tPass"}Zq8vK2mN4pR6tW8yB1dF; HttpOnly; Path=/`],
])("%s is found", (_what, text) => {
  expect(findSecrets(text)).toHaveLength(1);
  expect(maskSecrets(text)).not.toMatch(/s3cr3tPass|hunter2/);
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
])("%j is no secret", (text) => {
  expect(findSecrets(text)).toEqual([]);
});

// A quadratic scan of a mebibyte takes minutes and ends in the test's timeout.
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
])("a mebibyte of %j is scanned in one go", (unit) => {
  findSecrets(unit.repeat(1_048_576 / unit.length));
});
