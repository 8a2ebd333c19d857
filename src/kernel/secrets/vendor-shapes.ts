import { atWordStart, isRandomKey, type SecretShape } from "./secret-shape.ts";

const hex = "[0-9a-f]";
const alnum = "[A-Za-z0-9]";
const word = "[A-Za-z0-9_-]";

/** Services whose keys begin with a word of their own: the kind, the beginnings, and what follows them. */
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

/** Services whose keys are recognised by what stands in the middle of them, or before them in an address. */
const others: readonly SecretShape[] = [
  { kind: "terraform-token", pattern: /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}/g },
  {
    // An id, a time and a signature, each in its own alphabet.
    kind: "discord-token",
    pattern: new RegExp(
      `${atWordStart("[MNO]")}[A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}`,
      "g",
    ),
    accepts: isRandomKey,
  },
  {
    kind: "telegram-token",
    pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
    accepts: isRandomKey,
  },
  {
    kind: "teams-webhook",
    pattern: /\.webhook\.office\.com\/webhookb2\/(?<secret>[A-Za-z0-9@/-]{80,})/g,
  },
  {
    kind: "discord-webhook",
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>[0-9]{17,20}\/[A-Za-z0-9_-]{60,})/g,
  },
];

/** The commonest services besides those that need a rule of their own. */
export const vendorShapes: readonly SecretShape[] = [
  ...prefixed.map(([kind, prefix, rest]) => ({
    kind,
    pattern: new RegExp(`${atWordStart(prefix)}${rest}(?![A-Za-z0-9])`, "g"),
    accepts: isRandomKey,
  })),
  ...others,
];

const marks = ["\\.atlasv1\\.", "[MNO][A-Za-z0-9_-]{23,27}\\.", ":AA", "/webhookb2/", "/api/webhooks/"];
const anyMark = new RegExp([...prefixed.map(([, prefix]) => prefix), ...marks].join("|"));

/** One look at a text instead of one for each service: hardly any text holds such a key. */
export function mayHoldVendorKey(text: string): boolean {
  return anyMark.test(text);
}
