import { atWordStart, isFiller, isRandomKey, type SecretShape } from "./secret-shape.ts";
import { isPlaceholder, looksLikeSecret } from "./secret-values.ts";

const pemLabel = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

const assignment = [
  "(?:token|secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|api[_ -]?key|authorization|private[_ -]?key)",
  "[\"'`*\\\\]{0,3}[ \\t]{0,16}(?:={1,3}>?|:=?)[ \\t]{0,16}",
].join("");
/** In `secret: password: x` the second name is not the value of the first; taking it would hide what follows. */
const valueStart = `(?:(?:basic|bearer|token)[ \\t]{1,16})?(?![\\w-]{0,40}${assignment})`;

/** Specific shapes first: where two shapes meet at one place, the first gives the kind. */
export const secretShapes: readonly SecretShape[] = [
  {
    kind: "private-key",
    pattern: new RegExp(`-----BEGIN ${pemLabel}[^-]*(?:-(?!----)[^-]*)*-----END ${pemLabel}`, "g"),
    accepts: (block) => /[A-Za-z0-9+/=]{10}/.test(block),
    isLoose: true,
  },
  {
    // A block that was cut off: only what is plainly key material.
    kind: "private-key",
    pattern: new RegExp(`-----BEGIN ${pemLabel}(?:\\s|\\\\[nr]|[A-Za-z0-9+/=]{16,})+`, "g"),
    accepts: (block) => /[A-Za-z0-9+/=]{32}/.test(block),
    isLoose: true,
  },
  { kind: "github-token", pattern: /gh[oprsu]_[A-Za-z0-9]{20,}/g, accepts: (token) => !isFiller(token) },
  { kind: "github-token", pattern: /github_pat_[A-Za-z0-9_]{22,}/g, accepts: (token) => !isFiller(token) },
  {
    kind: "api-key",
    pattern: new RegExp(`${atWordStart("sk-")}[A-Za-z0-9_-]{16,}`, "g"),
    accepts: isRandomKey,
  },
  {
    // Every AKIA is a key id; the others also begin ordinary words, which have no digit.
    kind: "aws-access-key",
    pattern: new RegExp(
      `${atWordStart("A(?:KIA|SIA|BIA|CCA)")}(?:(?<=AKIA)|(?=[A-Z]{0,15}[0-9]))[A-Z0-9]{16}(?![A-Za-z0-9])`,
      "g",
    ),
  },
  { kind: "slack-token", pattern: /xox[abeoprs]-[A-Za-z0-9-]{10,}/g, accepts: (token) => /\d/.test(token) },
  {
    kind: "slack-token",
    pattern: new RegExp(`${atWordStart("xapp-")}\\d-[A-Za-z0-9-]{20,}`, "g"),
    accepts: isRandomKey,
  },
  {
    kind: "slack-webhook",
    pattern:
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9]{8,}\/[A-Za-z0-9]{8,}\/[A-Za-z0-9]{16,})/g,
    accepts: (path) => !isFiller(path),
  },
  { kind: "google-api-key", pattern: /AIza[A-Za-z0-9_-]{35}/g },
  { kind: "google-oauth-secret", pattern: new RegExp(`${atWordStart("GOCSPX-")}[A-Za-z0-9_-]{20,}`, "g") },
  {
    kind: "google-oauth-token",
    pattern: new RegExp(`${atWordStart("ya29\\.")}[A-Za-z0-9_-]{30,}`, "g"),
    accepts: isRandomKey,
  },
  {
    kind: "stripe-key",
    pattern: new RegExp(`${atWordStart("[rs]k_(?:live|prod|test)_")}[A-Za-z0-9]{16,}`, "g"),
    accepts: (key) => !isFiller(key),
  },
  {
    kind: "stripe-webhook-secret",
    pattern: new RegExp(`${atWordStart("whsec_")}[A-Za-z0-9+/=]{24,}`, "g"),
    accepts: isRandomKey,
  },
  {
    kind: "npm-token",
    pattern: new RegExp(`${atWordStart("npm_")}[A-Za-z0-9]{36}(?![A-Za-z0-9])`, "g"),
    accepts: isRandomKey,
  },
  {
    kind: "gitlab-token",
    pattern: new RegExp(
      `${atWordStart("(?:gl(?:pat|dt|rt|ptt|cbt|soat|ft|ffct|imt|agent|oas)-|GR1348941)")}[A-Za-z0-9_-]{20,}(?:\\.[0-9a-z]{9})?`,
      "g",
    ),
    accepts: (token) => isRandomKey(token) || (/\d/.test(token) && !isFiller(token)),
  },
  {
    kind: "huggingface-token",
    pattern: new RegExp(`${atWordStart("(?:hf|api_org)_")}[A-Za-z0-9]{30,}`, "g"),
    accepts: isRandomKey,
  },
  {
    kind: "sendgrid-key",
    pattern: new RegExp(`${atWordStart("SG\\.")}[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}`, "g"),
    accepts: (key) => !isFiller(key),
  },
  { kind: "azure-storage-key", pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g },
  {
    kind: "azure-client-secret",
    pattern: /[A-Za-z0-9_~.-]{3}\dQ~(?<=(?:^|[^A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~)[A-Za-z0-9_~.-]{31,34}/g,
  },
  {
    kind: "azure-signature",
    pattern: /[?&]sig=(?<secret>[A-Za-z0-9%+/]{40,100}(?:%3[Dd]|=))/g,
  },
  {
    // `scheme://name:password@host`
    kind: "url-password",
    pattern: /:\/\/[^\s/:@"'`<>]{0,64}:(?<secret>[^\s/@"'`<>]{3,100})(?=@[A-Za-z0-9[])/g,
    accepts: (password) => !isPlaceholder(password),
    isLoose: true,
  },
  {
    kind: "jwt",
    pattern: new RegExp(
      `${atWordStart("eyJ")}[A-Za-z0-9_-]{5,}\\.eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]{4,}`,
      "g",
    ),
  },
  {
    kind: "bearer-token",
    pattern: /\bBearer[ \t]{1,16}(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
    accepts: looksLikeSecret,
    isLoose: true,
  },
  {
    kind: "credential",
    pattern: new RegExp(`${assignment}\\\\?["'\`]${valueStart}(?<secret>[^\\s"'\`\\\\]{8,})`, "gi"),
    accepts: looksLikeSecret,
    isLoose: true,
  },
  {
    kind: "credential",
    pattern: new RegExp(
      `${assignment}${valueStart}(?<secret>(?:[^\\s"'\`\\\\,;&<>{}()[\\]]|&(?![\\w.-]{1,40}=)){8,})`,
      "gi",
    ),
    accepts: (value, following) => !isCode(following) && looksLikeSecret(value),
    isLoose: true,
  },
];

/** `token = createToken2(…)` calls something instead of naming a value. */
function isCode(following: string | undefined): boolean {
  return following === "(" || following === "[";
}
