import { atWordStart, isFiller, isRandomKey, type SecretShape } from "./secret-shape.ts";
import { isPlaceholder, looksLikeSecret } from "./secret-values.ts";

const pemLabel = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

const assignment = [
  "(?:token|secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|api[_ -]?key|authorization|private[_ -]?key)",
  "[\"'`*\\\\]{0,3}[ \\t]{0,16}(?:={1,3}>?|:=?)[ \\t]{0,16}",
].join("");
/**
 * In `secret: password: x`, the second name is not the value of the first. Matching it would leave the real value
 * unmasked.
 */
const valueStart = `(?:(?:basic|bearer|token)[ \\t]{1,16})?(?![\\w-]{0,40}${assignment})`;

/** Specific shapes first. If two shapes match at the same position, the first one determines the kind. */
export const secretShapes: readonly SecretShape[] = [
  {
    kind: "private-key",
    pattern: new RegExp(`-----BEGIN ${pemLabel}[^-]*(?:-(?!----)[^-]*)*-----END ${pemLabel}`, "g"),
    mark: "-----BEGIN ",
    accepts: (block) => /[A-Za-z0-9+/=]{10}/.test(block),
    isLoose: true,
  },
  {
    // A truncated block. Matches only text that is clearly key material.
    kind: "private-key",
    pattern: new RegExp(`-----BEGIN ${pemLabel}(?:\\s|\\\\[nr]|[A-Za-z0-9+/=]{16,})+`, "g"),
    mark: "-----BEGIN ",
    accepts: (block) => /[A-Za-z0-9+/=]{32}/.test(block),
    isLoose: true,
  },
  {
    kind: "github-token",
    mark: "gh[oprsu]_",
    pattern: /gh[oprsu]_[A-Za-z0-9]{20,}/g,
    accepts: (token) => !isFiller(token),
  },
  {
    kind: "github-token",
    mark: "github_pat_",
    pattern: /github_pat_[A-Za-z0-9_]{22,}/g,
    accepts: (token) => !isFiller(token),
  },
  {
    kind: "api-key",
    pattern: new RegExp(`${atWordStart("sk-")}[A-Za-z0-9_-]{16,}`, "g"),
    mark: "sk-",
    accepts: isRandomKey,
  },
  {
    // `AKIA` always begins a key ID. The other prefixes also begin ordinary words, but those contain no
    // digit.
    kind: "aws-access-key",
    pattern: new RegExp(
      `${atWordStart("A(?:KIA|SIA|BIA|CCA)")}(?:(?<=AKIA)|(?=[A-Z]{0,15}[0-9]))[A-Z0-9]{16}(?![A-Za-z0-9])`,
      "g",
    ),
    mark: "A(?:KIA|SIA|BIA|CCA)",
  },
  {
    kind: "slack-token",
    mark: "xox[abeoprs]-",
    pattern: /xox[abeoprs]-[A-Za-z0-9-]{10,}/g,
    accepts: (token) => /\d/.test(token),
  },
  {
    kind: "slack-token",
    pattern: new RegExp(`${atWordStart("xapp-")}\\d-[A-Za-z0-9-]{20,}`, "g"),
    mark: "xapp-",
    accepts: isRandomKey,
  },
  {
    kind: "slack-webhook",
    pattern:
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9]{8,}\/[A-Za-z0-9]{8,}\/[A-Za-z0-9]{16,})/g,
    mark: "hooks\\.slack",
    accepts: (path) => !isFiller(path),
  },
  { kind: "google-api-key", mark: "AIza", pattern: /AIza[A-Za-z0-9_-]{35}/g },
  {
    kind: "google-oauth-secret",
    mark: "GOCSPX-",
    pattern: new RegExp(`${atWordStart("GOCSPX-")}[A-Za-z0-9_-]{20,}`, "g"),
  },
  {
    kind: "google-oauth-token",
    pattern: new RegExp(`${atWordStart("ya29\\.")}[A-Za-z0-9_-]{30,}`, "g"),
    mark: "ya29\\.",
    accepts: isRandomKey,
  },
  {
    kind: "stripe-key",
    pattern: new RegExp(`${atWordStart("[rs]k_(?:live|prod|test)_")}[A-Za-z0-9]{16,}`, "g"),
    mark: "[rs]k_(?:live|prod|test)_",
    accepts: (key) => !isFiller(key),
  },
  {
    kind: "stripe-webhook-secret",
    pattern: new RegExp(`${atWordStart("whsec_")}[A-Za-z0-9+/=]{24,}`, "g"),
    mark: "whsec_",
    accepts: isRandomKey,
  },
  {
    kind: "npm-token",
    pattern: new RegExp(`${atWordStart("npm_")}[A-Za-z0-9]{36}(?![A-Za-z0-9])`, "g"),
    mark: "npm_",
    accepts: isRandomKey,
  },
  {
    kind: "gitlab-token",
    pattern: new RegExp(
      `${atWordStart("(?:gl(?:pat|dt|rt|ptt|cbt|soat|ft|ffct|imt|agent|oas)-|GR1348941)")}[A-Za-z0-9_-]{20,}(?:\\.[0-9a-z]{9})?`,
      "g",
    ),
    mark: "gl(?:pat|dt|rt|ptt|cbt|soat|ft|ffct|imt|agent|oas)-|GR1348941",
    accepts: (token) => isRandomKey(token) || (/\d/.test(token) && !isFiller(token)),
  },
  {
    kind: "huggingface-token",
    pattern: new RegExp(`${atWordStart("(?:hf|api_org)_")}[A-Za-z0-9]{30,}`, "g"),
    mark: "(?:hf|api_org)_",
    accepts: isRandomKey,
  },
  {
    kind: "sendgrid-key",
    pattern: new RegExp(`${atWordStart("SG\\.")}[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}`, "g"),
    mark: "SG\\.",
    accepts: (key) => !isFiller(key),
  },
  { kind: "azure-storage-key", mark: "AccountKey=", pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g },
  {
    kind: "azure-client-secret",
    pattern: /[A-Za-z0-9_~.-]{3}\dQ~(?<=(?:^|[^A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~)[A-Za-z0-9_~.-]{31,34}/g,
    mark: "[0-9]Q~",
  },
  {
    kind: "azure-signature",
    pattern: /[?&]sig=(?<secret>[A-Za-z0-9%+/]{40,100}(?:%3[Dd]|=))/g,
    mark: "[?&]sig=",
  },
  {
    // `scheme://name:password@host`
    kind: "url-password",
    pattern: /:\/\/[^\s/:@"'`<>]{0,64}:(?<secret>[^\s/@"'`<>]{3,100})(?=@[A-Za-z0-9[])/g,
    mark: "://",
    accepts: (password) => !isPlaceholder(password),
    isLoose: true,
  },
  {
    kind: "jwt",
    pattern: new RegExp(
      `${atWordStart("eyJ")}[A-Za-z0-9_-]{5,}\\.eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]{4,}`,
      "g",
    ),
    mark: "eyJ",
  },
  {
    kind: "bearer-token",
    pattern: /\bBearer[ \t]{1,16}(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
    mark: "bearer[ \\t]",
    accepts: looksLikeSecret,
    isLoose: true,
  },
  {
    kind: "credential",
    pattern: new RegExp(`${assignment}\\\\?["'\`]${valueStart}(?<secret>[^\\s"'\`\\\\]{8,})`, "gi"),
    mark: assignment,
    accepts: looksLikeSecret,
    isLoose: true,
  },
  {
    kind: "credential",
    pattern: new RegExp(
      `${assignment}${valueStart}(?<secret>(?:[^\\s"'\`\\\\,;&<>{}()[\\]]|&(?![\\w.-]{1,40}=)){8,})`,
      "gi",
    ),
    mark: assignment,
    accepts: (value, following) => !isCode(following) && looksLikeSecret(value),
    isLoose: true,
  },
];

/** True if what follows shows that a value is code: `token = createToken2(…)` is a call. */
function isCode(following: string | undefined): boolean {
  return following === "(" || following === "[";
}

const hex = "[0-9a-f]";
const alnum = "[A-Za-z0-9]";
const word = "[A-Za-z0-9_-]";

/** Services whose keys have a fixed prefix: the kind, the prefix, and the pattern of the rest. */
const prefixed: readonly (readonly [kind: string, prefix: string, rest: string])[] = [
  ["api-key", "(?:gsk_|xai-|r8_|lsv2_(?:pt|sk)_|nvapi-)", `${word}{32,}`],
  ["api-key", "pplx-", `${alnum}{40,}`],
  ["alibaba-key", "LTAI", `${alnum}{20}`],
  ["atlassian-token", "ATATT3", "[A-Za-z0-9_=-]{60,}"],
  ["clojars-token", "CLOJARS_", `${alnum}{60}`],
  ["cloudflare-key", "v1\\.0-", `${hex}{24}-${hex}{146}`],
  ["databricks-token", "dapi", `${hex}{32}`],
  ["digitalocean-token", "do[opr]_v1_", `${hex}{64}`],
  ["docker-token", "dckr_(?:pat|oat)_", `${word}{27,}`],
  ["doppler-token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "[A-Za-z0-9._-]{40,}"],
  ["dynatrace-token", "dt0c01\\.", `${alnum}{24}\\.${alnum}{64}`],
  ["easypost-key", "EZ[AT]K", `${alnum}{54}`],
  ["fly-token", "(?:fo1|fm1[ar]|fm2)_", "[A-Za-z0-9+/=_-]{43,}"],
  ["grafana-token", "gl(?:c|sa)_", "[A-Za-z0-9+/=_]{32,}"],
  ["heroku-key", "HRKU-", `${word}{36,}`],
  ["linear-key", "lin_(?:api|oauth)_", `${alnum}{40,}`],
  ["mailgun-key", "key-", `${hex}{32}`],
  ["new-relic-key", "NR(?:AK|II|JS|RA)-", `${word}{19,}`],
  ["figma-token", "fig[dou]r?_", `${word}{36,}`],
  ["google-refresh-token", "1//0", `${word}{38,}`],
  ["notion-token", "ntn_", `[0-9]{11}${alnum}{35}`],
  ["notion-token", "secret_", `${alnum}{43}`],
  ["openshift-token", "sha256~", `${word}{43}`],
  ["planetscale-token", "pscale_(?:tkn|oauth|pw)_", "[A-Za-z0-9_=.-]{32,}"],
  ["postman-key", "PMAK-", `${hex}{24}-${hex}{34}`],
  ["pulumi-token", "pul-", `${hex}{40}`],
  ["pypi-token", "pypi-AgE", `${word}{50,}`],
  ["rubygems-key", "rubygems_", `${hex}{48}`],
  ["sendinblue-key", "xkeysib-", `${hex}{64}-${alnum}{16}`],
  ["sentry-token", "sntry[su]_", "[A-Za-z0-9+/=_]{43,}"],
  ["shopify-token", "shp(?:at|ca|pa|ss)_", "[A-Fa-f0-9]{32}"],
  ["square-token", "sq0[a-z]{3}-", `${word}{22,}`],
  ["supabase-key", "sb(?:p|_secret)_", `${word}{20,}`],
  ["tailscale-key", "tskey-(?:auth|api|client|scim|webhook)-", `${alnum}{8,}-${alnum}{16,}`],
  ["twilio-key", "SK", `${hex}{32}`],
  ["vault-token", "hv[bsr]\\.", `${word}{24,}`],
  ["age-secret-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"],
  ["onepassword-key", "ops_eyJ", "[A-Za-z0-9+/=_-]{80,}"],
];

/** Services whose keys are recognised by their middle part, or by the text before them in a URL. */
const others: readonly SecretShape[] = [
  {
    kind: "terraform-token",
    mark: "\\.atlasv1\\.",
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}/g,
  },
  {
    // An ID, a timestamp and a signature, separated by dots, all in the base64url alphabet.
    kind: "discord-token",
    pattern: new RegExp(
      `${atWordStart("[MNO]")}[A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}`,
      "g",
    ),
    mark: "[MNO][A-Za-z0-9_-]{23,27}\\.",
    accepts: isRandomKey,
  },
  {
    kind: "telegram-token",
    pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
    mark: ":AA",
    accepts: isRandomKey,
  },
  {
    kind: "teams-webhook",
    pattern: /\.webhook\.office\.com\/webhookb2\/(?<secret>[A-Za-z0-9@/-]{80,})/g,
    mark: "/webhookb2/",
  },
  {
    kind: "discord-webhook",
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>[0-9]{17,20}\/[A-Za-z0-9_-]{60,})/g,
    mark: "/api/webhooks/",
  },
];

/** The most common services, except those with their own rule. */
export const vendorShapes: readonly SecretShape[] = [
  ...prefixed.map(([kind, prefix, rest]) => ({
    kind,
    pattern: new RegExp(`${atWordStart(prefix)}${rest}(?![A-Za-z0-9])`, "g"),
    mark: prefix,
    accepts: isRandomKey,
  })),
  ...others,
];
