/** Key material of the right length that belongs to nobody; put together here, so that nothing in the repository looks like a leak. */
function random(
  length: number,
  alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
): string {
  let state = length * 7_919;
  let text = "";
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)];
  }
  return text;
}

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const digits = (length: number) => random(length, "0123456789");
const url = (scheme: string, user: string) => `${scheme}://${user}:${random(12)}`;

/** A sample of every shape that the providers document: its kind, and what it looks like. */
export const madeUpSecrets: readonly (readonly [kind: string, secret: string])[] = [
  ["github-token", `ghp_${random(36)}`],
  ["github-token", `gho_${random(36)}`],
  ["github-token", `github_pat_${random(22)}_${random(59)}`],
  ["gitlab-token", `glpat-${random(20)}`],
  ["gitlab-token", `glrt-${random(20)}`],
  ["api-key", `sk-${random(48)}`],
  ["api-key", `sk-proj-${random(64)}`],
  ["api-key", `sk-ant-api03-${random(90)}`],
  ["aws-access-key", `AKIA${random(16, upper)}`],
  ["slack-token", `xoxb-${digits(12)}-${digits(12)}-${random(24)}`],
  ["slack-token", `xapp-1-A${digits(10)}-${digits(13)}-${random(64)}`],
  ["slack-webhook", `T${random(9, upper)}/B${random(9, upper)}/${random(24)}`],
  ["google-api-key", `AIza${random(35)}`],
  ["google-oauth-secret", `GOCSPX-${random(28)}`],
  ["google-oauth-token", `ya29.${random(80)}`],
  ["stripe-key", `sk_live_${random(24)}`],
  ["stripe-key", `rk_test_${random(99)}`],
  ["stripe-webhook-secret", `whsec_${random(32)}`],
  ["npm-token", `npm_${random(36)}`],
  ["huggingface-token", `hf_${random(34)}`],
  ["sendgrid-key", `SG.${random(22)}.${random(43)}`],
  ["azure-storage-key", `${random(86)}==`],
  ["azure-client-secret", `${random(3)}8Q~${random(34)}`],
  ["azure-signature", `${random(43)}%3D`],
  ["jwt", `eyJ${random(33)}.eyJ${random(60)}.${random(43)}`],
  ["url-password", url("postgres", "app")],
  ["url-password", url("https", "ada")],
  ["url-password", url("amqp", "")],
].map(([kind = "", secret = ""]) => [kind, inPlace(kind, secret)] as const);

/** Some are known by what stands around them only. */
function inPlace(kind: string, secret: string): string {
  switch (kind) {
    case "slack-webhook":
      return `https://hooks.slack.com/services/${secret}`;
    case "azure-storage-key":
      return `AccountName=shop;AccountKey=${secret}`;
    case "azure-signature":
      return `https://shop.blob.core.windows.net/c?sv=2024-11-04&sig=${secret}`;
    default:
      return secret;
  }
}
