import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Refused } from "../../http/body/refusal.ts";

/** The message below the field. A browser that has not yet sent a token sees no message. */
const complaints: Partial<Record<Refused["code"], string>> = {
  TOKEN_REQUIRED: "",
  TOKEN_WRONG: "This server does not accept that token.",
  TOO_MANY_WRONG_TOKENS: "Too many wrong tokens from this address. Wait a minute, then try again.",
};

/**
 * Returns a self-contained page without anything from the application or the store, not even a name, because
 * everyone can see it.
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
 * Stores the proof for the page, and then opens the page at the same fragment. This removes the URL with the token from
 * the browser's history.
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

const light =
  "--canvas:#f5f6f7;--panel:#fbfbfc;--line:#e4e7eb;--strong:#cbd1d8;--control:#7d8692;--text:#14171c;--text-2:#49515c;--text-3:#606975;--you:#0a0b0d;--you-ink:#fff;--bad:#b23a26";
const dark =
  "--canvas:#0a0b0d;--panel:#0f1114;--line:#1f2329;--strong:#323842;--control:#68717e;--text:#eef0f3;--text-2:#a9b0bb;--text-3:#8f97a3;--you:#fff;--you-ink:#0a0b0d;--bad:#f0806c";

const style = `
:root{color-scheme:light;${light}}
@media(prefers-color-scheme:dark){:root{color-scheme:dark;${dark}}}
:root[data-theme=light]{color-scheme:light;${light}}
:root[data-theme=dark]{color-scheme:dark;${dark}}
*{box-sizing:border-box;margin:0}
[hidden]{display:none!important}
body{min-height:100vh;display:grid;grid-template-rows:44px 1fr;background:var(--canvas);color:var(--text);font:13px/20px Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
svg{width:16px;height:16px;flex:none;fill:none;stroke:currentColor;stroke-width:1.25;stroke-linecap:round;stroke-linejoin:round}
header{display:flex;align-items:center;gap:8px;padding:0 12px 0 14px;background:var(--panel);border-bottom:1px solid var(--line);font-weight:600;letter-spacing:-.01em}
.logo{width:18px;height:18px;stroke:none}
main{position:relative;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;overflow:hidden;padding:24px 16px}
.ghosts{position:absolute;left:0;right:0;top:40px;display:flex;gap:14px;padding-left:20px;overflow:hidden;-webkit-mask-image:linear-gradient(90deg,#000,transparent 92%);mask-image:linear-gradient(90deg,#000,transparent 92%)}
.ghosts i{flex:none;width:118px;height:62px;border-radius:6px;border:1px dashed var(--strong)}
.box{width:520px;max-width:100%;position:relative}
h1{font-size:24px;line-height:32px;font-weight:600;letter-spacing:-.02em}
p{font-size:15px;line-height:24px;color:var(--text-2);margin:6px 0 22px}
.cmd{display:flex;align-items:center;height:40px;padding:0 6px 0 12px;background:var(--panel);box-shadow:inset 0 0 0 1px var(--strong);border-radius:8px}
code,input,.host{font:12.5px/20px "JetBrains Mono",ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-variant-ligatures:none}
code{flex:1;user-select:all}
label{display:block;font-weight:500;margin:20px 0 8px}
form{display:flex;gap:8px}
.field{flex:1;min-width:0;display:flex;align-items:center;gap:10px;height:40px;padding:0 12px;border-radius:8px;background:var(--panel);color:var(--text-3);box-shadow:inset 0 0 0 1px var(--control)}
.field:focus-within{box-shadow:inset 0 0 0 1.5px var(--you)}
input{flex:1;min-width:0;height:100%;padding:0;border:0;background:none;color:var(--text)}
input:focus{outline:0}
button{border:0;border-radius:8px;cursor:pointer;color:inherit;background:none}
.open{height:40px;padding:0 16px;background:var(--you);color:var(--you-ink);font-family:inherit;font-weight:500;font-size:13px}
.ib{display:grid;place-items:center;width:28px;height:28px;border-radius:6px;color:var(--text-2)}
.ib:hover{color:var(--text);background:var(--line)}
button:focus-visible{outline:2px solid var(--you);outline-offset:2px}
#theme{margin-left:auto}
.bad{display:flex;gap:7px;align-items:center;color:var(--bad);font-size:12.5px;line-height:18px;margin-top:8px}
footer{display:flex;gap:4px 16px;flex-wrap:wrap;justify-content:space-between;margin-top:30px;padding-top:16px;border-top:1px solid var(--line);font-size:12px;line-height:18px;color:var(--text-3)}
.off{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.host{font-size:11px;line-height:18px}
@media(pointer:coarse){.ib{width:40px;height:40px}.cmd{height:48px}input{font-size:16px}}
`;

/**
 * Keeps the URL's fragment, which browsers never send, so that the right view opens after the token is
 * accepted. The buttons appear only if this script runs. The page uses the theme that the application stores
 * (`ui/state/settings.ts`).
 */
const script = `
const root=document.documentElement,byId=(id)=>document.getElementById(id),key="thoughtbox.observatory";
document.forms[0].action="/"+location.hash;
byId("host").textContent=location.host;
let kept={};
try{kept=JSON.parse(localStorage.getItem(key))||{}}catch{}
if(kept.theme==="light"||kept.theme==="dark")root.dataset.theme=kept.theme;
const theme=byId("theme"),copy=byId("copy"),said=byId("said");
theme.hidden=copy.hidden=false;
theme.onclick=()=>{
const now=root.dataset.theme||(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");
root.dataset.theme=kept.theme=now==="dark"?"light":"dark";
try{localStorage.setItem(key,JSON.stringify(kept))}catch{}
};
const select=()=>{getSelection().selectAllChildren(byId("command"));return document.execCommand("copy")};
copy.onclick=async()=>{
const text=byId("command").textContent;
const done=await(navigator.clipboard?navigator.clipboard.writeText(text).then(()=>true,select):select());
said.textContent=copy.title=done?"Copied":"Not copied. Select the command instead.";
byId("copied").toggleAttribute("hidden",!done);
byId("uncopied").toggleAttribute("hidden",done);
};
`;

/**
 * The page reads the same key (`ui/state/http.ts`). If the browser refuses to store the proof, the page opens anyway,
 * because a local browser may not need it.
 */
const entrance =
  'try{localStorage.setItem("thoughtbox-page",document.body.dataset.proof)}catch{}location.replace("/"+location.hash)';

const draw = (shape: string, more = ""): string =>
  `<svg viewBox="0 0 16 16" aria-hidden="true"${more}>${shape}</svg>`;

const logo =
  '<svg class="logo" viewBox="0 0 18 18" aria-hidden="true"><rect x="1" y="1" width="16" height="16" rx="4.5" fill="currentColor"/><path d="M4.6 6.2h3.1c1 0 1.5.6 1.5 1.5v2.6c0 .9.5 1.5 1.5 1.5h2.7M4.6 6.2h8.8" stroke="var(--panel)" stroke-width="1.5"/></svg>';

/** The same shapes as in the application (`ui/parts/basics/icon.tsx`), which this page must not load. */
const icons = {
  sun: draw(
    '<circle cx="8" cy="8" r="2.75"/><path d="M8 1.75v1M8 13.25v1M1.75 8h1M13.25 8h1M3.6 3.6l.7.7M11.7 11.7l.7.7M12.4 3.6l-.7.7M4.3 11.7l-.7.7"/>',
  ),
  copy: draw(
    '<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3.25a.75.75 0 0 0-.75-.75h-6A1.25 1.25 0 0 0 2.5 3.75v6c0 .41.34.75.75.75"/>',
    ' id="uncopied"',
  ),
  check: draw('<path d="m3.5 8.5 3 3 6-7"/>', ' id="copied" hidden'),
  lock: draw(
    '<rect x="3.25" y="7" width="9.5" height="6.5" rx="1.5"/><path d="M5.25 7V5a2.75 2.75 0 0 1 5.5 0v2"/>',
  ),
  warn: draw('<path d="M8 2.5 14 13H2zM8 6.75v2.75M8 11.25v.01"/>'),
} as const;

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
<header>${logo}Thoughtbox<button type="button" class="ib" id="theme" hidden aria-label="Light or dark" title="Light or dark">${icons.sun}</button></header>
<main>
<div class="ghosts" aria-hidden="true">${"<i></i>".repeat(12)}</div>
<div class="box">
<h1>This page needs the token</h1>
<p>Reasoning is private, so only a browser with the token can read it. Open the address that this command prints. It includes the token.</p>
<div class="cmd"><code id="command">thoughtbox observatory</code><button type="button" class="ib" id="copy" hidden aria-label="Copy command" title="Copy command">${icons.copy}${icons.check}</button></div>
<span id="said" class="off" aria-live="polite"></span>
<label for="token">Or paste the address or the token</label>
<form method="get" action="/"><span class="field">${icons.lock}<input id="token" name="token" type="text" autocomplete="off" spellcheck="false" required autofocus${complaint === "" ? "" : ' aria-invalid="true" aria-describedby="complaint"'}></span><button class="open">Open</button></form>
${complaint === "" ? "" : `<div class="bad" id="complaint" role="alert">${icons.warn}${complaint}</div>\n`}<footer><span>A cookie keeps this browser signed in for 30 days.</span><span class="host" id="host"></span></footer>
</div>
</main>
<script>${script}</script>
</body>
</html>
`;
