import type { BuildFile } from "../parts/basics/hands.ts";
import { formatDay } from "../text/time-words.ts";
import { viewerScript } from "./start.tsx";

/** Escapes data for a script element, in which data must not look like an end tag or a comment. */
const asData = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
}

async function fetchText(path: string): Promise<string | undefined> {
  const response = await fetch(path).catch(() => undefined);
  return response?.ok ? response.text() : undefined;
}

/**
 * Builds one HTML file with the viewer and the session. The file loads nothing from elsewhere, and its policy
 * enforces that.
 */
export const buildFile: BuildFile = async (answer) => {
  const [script, style] = await Promise.all([fetchText(viewerScript), fetchText("./share/share.css")]);
  if (script === undefined || style === undefined) return undefined;
  const code = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const look = style.replaceAll("</style", "<\\/style");
  const policy = `default-src 'none'; script-src ${await hashOf(code)}; style-src ${await hashOf(look)}; img-src blob:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(answer.session.title)} · ${formatDay(Date.parse(answer.session.createdAt))}</title>
<style>${look}</style>
</head>
<body>
<div id="app" class="bare"></div>
<script type="application/json" id="session">${asData(answer)}</script>
<script type="module">${code}</script>
</body>
</html>
`;
};
