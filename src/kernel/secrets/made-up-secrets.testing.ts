type MadeUp = readonly (readonly [kind: string, secret: string])[];

const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const figures = "0123456789";
const word = `${lower}${upper}${figures}`;
const hexFigures = `${figures}abcdef`;

/**
 * A sample of every shape that providers document, with its kind. The key material has the right length, but is made up
 * and assembled here, so that nothing in the repository looks like a leak.
 */
export function makeSecrets(seed: number): MadeUp {
  let state = seed * 7_919;
  function random(length: number, alphabet = word): string {
    let text = "";
    while (text.length < length) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)];
    }
    return text;
  }
  const capitals = (length: number) => random(length, `${upper}${figures}`);
  const digits = (length: number) => random(length, figures);
  const hex = (length: number) => random(length, hexFigures);
  const url = (scheme: string, user: string) => `${scheme}://${user}:${random(12)}`;
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-");

  const made: MadeUp = [
    ["github-token", `ghp_${random(36)}`],
    ["github-token", `gho_${random(36)}`],
    ["github-token", `github_pat_${random(22)}_${random(59)}`],
    ["gitlab-token", `glpat-${random(20)}`],
    ["gitlab-token", `glpat-${random(27)}.${hex(2)}${hex(7)}`],
    ["gitlab-token", `glrt-${random(20)}`],
    ["gitlab-token", `GR1348941${random(20)}`],
    ["gitlab-token", `glffct-${random(20)}`],
    ["api-key", `sk-${random(48)}`],
    ["api-key", `sk-proj-${random(64)}`],
    ["api-key", `sk-ant-api03-${random(90)}`],
    ["api-key", `gsk_${random(52)}`],
    ["api-key", `xai-${random(80)}`],
    ["api-key", `r8_${random(37)}`],
    ["api-key", `lsv2_pt_${hex(32)}_${hex(10)}`],
    ["api-key", `nvapi-${random(64)}`],
    ["api-key", `pplx-${random(48)}`],
    ["aws-access-key", `AKIA${capitals(16)}`],
    ["aws-access-key", `ASIA${capitals(8)}7${capitals(7)}`],
    ["aws-access-key", `ABIA${capitals(8)}7${capitals(7)}`],
    ["slack-token", `xoxb-${digits(12)}-${digits(12)}-${random(24)}`],
    ["slack-token", `xoxp-${digits(12)}-${digits(12)}-${digits(12)}-${hex(32)}`],
    ["slack-token", `xapp-1-A${digits(10)}-${digits(13)}-${random(64)}`],
    ["slack-webhook", `T${capitals(9)}/B${capitals(9)}/${random(24)}`],
    ["google-api-key", `AIza${random(35)}`],
    ["google-oauth-secret", `GOCSPX-${random(28)}`],
    ["google-oauth-token", `ya29.${random(80)}`],
    ["stripe-key", `sk_live_${random(24)}`],
    ["stripe-key", `rk_test_${random(99)}`],
    ["stripe-webhook-secret", `whsec_${random(32)}`],
    ["npm-token", `npm_${random(36)}`],
    ["huggingface-token", `hf_${random(34)}`],
    ["huggingface-token", `api_org_${random(34, `${lower}${upper}`)}`],
    ["sendgrid-key", `SG.${random(22)}.${random(43)}`],
    ["azure-storage-key", `${random(86)}==`],
    ["azure-client-secret", `${random(3)}8Q~${random(34)}`],
    ["azure-signature", `${random(43)}%3D`],
    ["jwt", `eyJ${random(33)}.eyJ${random(60)}.${random(43)}`],
    ["url-password", url("postgres", "app")],
    ["url-password", url("https", "ada")],
    ["url-password", url("amqp", "")],
    ["alibaba-key", `LTAI${random(20)}`],
    ["atlassian-token", `ATATT3${random(186)}`],
    ["clojars-token", `CLOJARS_${hex(60)}`],
    ["cloudflare-key", `v1.0-${hex(24)}-${hex(146)}`],
    ["databricks-token", `dapi${hex(32)}`],
    ["digitalocean-token", `dop_v1_${hex(64)}`],
    ["docker-token", `dckr_pat_${random(27)}`],
    ["doppler-token", `dp.pt.${random(43)}`],
    ["dynatrace-token", `dt0c01.${capitals(24)}.${capitals(64)}`],
    ["easypost-key", `EZAK${random(54)}`],
    ["fly-token", `fo1_${random(43)}`],
    ["grafana-token", `glsa_${random(32)}_${hex(8)}`],
    ["heroku-key", `HRKU-AA${random(58)}`],
    ["linear-key", `lin_api_${random(40)}`],
    ["mailgun-key", `key-${hex(32)}`],
    ["new-relic-key", `NRAK-${capitals(27)}`],
    ["figma-token", `figd_${random(40)}`],
    ["google-refresh-token", `1//0${random(60)}`],
    ["notion-token", `secret_${random(43)}`],
    ["tailscale-key", `tskey-auth-k${random(16)}-${random(32)}`],
    ["command-password", `s3${random(10)}`],
    ["netrc-password", `s3${random(10)}`],
    ["cookie", `session=${random(40)}`],
    ["notion-token", `ntn_${digits(11)}${random(35)}`],
    ["openshift-token", `sha256~${random(43)}`],
    ["planetscale-token", `pscale_tkn_${random(43)}`],
    ["postman-key", `PMAK-${hex(24)}-${hex(34)}`],
    ["pulumi-token", `pul-${hex(40)}`],
    ["pypi-token", `pypi-AgEIcHlwaS5vcmc${random(120)}`],
    ["rubygems-key", `rubygems_${hex(48)}`],
    ["sendinblue-key", `xkeysib-${hex(64)}-${random(16)}`],
    ["sentry-token", `sntryu_${hex(64)}`],
    ["shopify-token", `shpat_${hex(32)}`],
    ["square-token", `sq0atp-${random(22)}`],
    ["supabase-key", `sbp_${hex(40)}`],
    ["twilio-key", `SK${hex(32)}`],
    ["vault-token", `hvs.${random(95)}`],
    ["age-secret-key", `AGE-SECRET-KEY-1${random(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")}`],
    ["onepassword-key", `ops_eyJ${random(260)}`],
    ["terraform-token", `${random(14)}.atlasv1.${random(67)}`],
    ["discord-token", `M${random(23)}.${random(6)}.${random(27)}`],
    ["telegram-token", `${digits(10)}:AA${random(33)}`],
    ["teams-webhook", `${uuid()}@${uuid()}/IncomingWebhook/${hex(32)}/${uuid()}`],
    ["discord-webhook", `${digits(18)}/${random(68)}`],
  ];
  return made.map(([kind, secret]) => [kind, inPlace(kind, secret)] as const);
}

export const madeUpSecrets = makeSecrets(1);

/** Adds the surrounding text by which some secrets are recognised. */
function inPlace(kind: string, secret: string): string {
  switch (kind) {
    case "slack-webhook":
      return `https://hooks.slack.com/services/${secret}`;
    case "teams-webhook":
      return `https://shop.webhook.office.com/webhookb2/${secret}`;
    case "discord-webhook":
      return `https://discord.com/api/webhooks/${secret}`;
    case "command-password":
      return `sshpass -p ${secret}`;
    case "netrc-password":
      return `machine example.org login ada password ${secret}`;
    case "cookie":
      return `Cookie: ${secret}`;
    case "azure-storage-key":
      return `AccountName=shop;AccountKey=${secret}`;
    case "azure-signature":
      return `https://shop.blob.core.windows.net/c?sv=2024-11-04&sig=${secret}`;
    default:
      return secret;
  }
}
