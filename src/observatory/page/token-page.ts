import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Refused } from "../../http/body/refusal.ts";

/** The message below the field. A browser that has not sent a token yet sees none. */
const complaints: Partial<Record<Refused["code"], string>> = {
  TOKEN_REQUIRED: "",
  TOKEN_WRONG: "This server does not accept that token.",
  TOO_MANY_WRONG_TOKENS: "Too many wrong tokens from this address. Wait a minute, then try again.",
};

/**
 * A self-contained page without anything from the application or the store, not even a name, because everyone can see
 * it.
 */
export function tokenPage(
  req: IncomingMessage,
  { code }: Refused,
): { body: string; headers: Record<string, string> } | undefined {
  const complaint = complaints[code];
  const wantsPage = /\btext\/html\b/.test(req.headers.accept ?? "");
  if (complaint === undefined || !wantsPage || (req.method !== "GET" && req.method !== "HEAD"))
    return undefined;
  const body = render(complaint);
  return {
    body: req.method === "HEAD" ? "" : body,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Content-Length": String(Buffer.byteLength(body)),
    },
  };
}

/**
 * Stores the proof for the page, and then opens the page at the same fragment. The URL with the token leaves the
 * browser's history.
 */
export function entrancePage(proof: string): { body: string; headers: Record<string, string> } {
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Thoughtbox</title></head>
<body data-proof="${proof}"><noscript>The Observatory needs JavaScript.</noscript><script>${entrance}</script></body>
</html>
`;
  return {
    body,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; script-src ${hashOf(entrance)}; base-uri 'none'; frame-ancestors 'none'`,
      "Cache-Control": "no-store",
    },
  };
}

const style = `
:root{color-scheme:light dark;--canvas:#f5f6f7;--panel:#fbfbfc;--line:#e4e7eb;--strong:#cbd1d8;--control:#7d8692;--text:#14171c;--text-2:#49515c;--text-3:#606975;--you:#0a0b0d;--you-ink:#fff;--bad:#b23a26}
@media(prefers-color-scheme:dark){:root{--canvas:#0a0b0d;--panel:#0f1114;--line:#1f2329;--strong:#323842;--control:#68717e;--text:#eef0f3;--text-2:#a9b0bb;--text-3:#8f97a3;--you:#fff;--you-ink:#0a0b0d;--bad:#f0806c}}
*{box-sizing:border-box;margin:0}
body{min-height:100vh;display:grid;grid-template-rows:44px 1fr;background:var(--canvas);color:var(--text);font:13px/20px Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header{display:flex;align-items:center;gap:10px;padding:0 16px;background:var(--panel);border-bottom:1px solid var(--line);font-weight:600}
header svg{width:16px;height:16px}
main{position:relative;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;overflow:hidden;padding:24px 16px}
.ghosts{position:absolute;left:0;right:0;top:40px;display:flex;gap:14px;padding-left:20px;overflow:hidden;-webkit-mask-image:linear-gradient(90deg,#000,transparent 92%);mask-image:linear-gradient(90deg,#000,transparent 92%)}
.ghosts i{flex:none;width:118px;height:62px;border-radius:6px;border:1px dashed var(--strong)}
.box{width:520px;max-width:100%;position:relative}
h1{font-size:24px;line-height:32px;font-weight:600;letter-spacing:-.02em}
p{font-size:15px;line-height:24px;color:var(--text-2);margin:6px 0 22px}
.cmd{display:flex;align-items:center;height:40px;padding:0 12px;background:var(--panel);box-shadow:inset 0 0 0 1px var(--strong);border-radius:8px}
code,input{font:12.5px/20px "JetBrains Mono",ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{user-select:all}
label{display:block;font-weight:500;margin:20px 0 8px}
form{display:flex;gap:8px}
input{flex:1;min-width:0;height:40px;padding:0 12px;border:0;border-radius:8px;background:var(--panel);color:var(--text);box-shadow:inset 0 0 0 1px var(--control)}
input:focus{outline:0;box-shadow:inset 0 0 0 1.5px var(--you)}
button{height:40px;padding:0 16px;border:0;border-radius:8px;background:var(--you);color:var(--you-ink);font:500 13px/20px inherit;cursor:pointer}
button:focus-visible{outline:2px solid var(--you);outline-offset:2px}
.bad{color:var(--bad);font-size:12.5px;line-height:18px;margin-top:8px}
footer{margin-top:30px;padding-top:16px;border-top:1px solid var(--line);font-size:12px;line-height:18px;color:var(--text-3)}
`;

/** Keeps the fragment of the URL, which is never sent, so that the right view opens after the token was accepted. */
const script = `document.forms[0].action="/"+location.hash`;

/** The page reads the same key (`ui/state/http.ts`). A browser can refuse to store it, and your own may not need it. */
const entrance =
  'try{localStorage.setItem("thoughtbox-page",document.body.dataset.proof)}catch{}location.replace("/"+location.hash)';

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const render = (complaint: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Token needed – Thoughtbox</title>
<style>${style}</style>
</head>
<body>
<header><svg viewBox="0 0 18 18" aria-hidden="true" fill="none"><rect x="1" y="1" width="16" height="16" rx="4.5" fill="currentColor"/><path d="M4.6 6.2h3.1c1 0 1.5.6 1.5 1.5v2.6c0 .9.5 1.5 1.5 1.5h2.7M4.6 6.2h8.8" stroke="var(--panel)" stroke-width="1.5" stroke-linecap="round"/></svg>Thoughtbox</header>
<main>
<div class="ghosts" aria-hidden="true">${"<i></i>".repeat(12)}</div>
<div class="box">
<h1>This page needs the token</h1>
<p>Reasoning is private, so only a browser with the token can read it. Open the address that this command prints. It contains the token once.</p>
<div class="cmd"><code>thoughtbox observatory</code></div>
<label for="token">Or paste the address or the token</label>
<form method="get" action="/"><input id="token" name="token" type="text" autocomplete="off" spellcheck="false" required autofocus${complaint === "" ? "" : ' aria-invalid="true" aria-describedby="complaint"'}><button>Open</button></form>
${complaint === "" ? "" : `<div class="bad" id="complaint" role="alert">${complaint}</div>\n`}<footer>This browser keeps the token in a cookie for 30 days, for this port and your address. Scripts cannot read it.</footer>
</div>
</main>
<script>${script}</script>
</body>
</html>
`;
