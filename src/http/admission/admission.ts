import { corsHeaders } from "../body/json-answer.ts";
import { type Refused, refuse } from "../body/refusal.ts";
import { isLoopbackPeer } from "../connection/peer-uid.ts";
import type { AdmissionPolicy } from "./admission-policy.ts";
import {
  type Authority,
  isLocalhostName,
  isLoopbackOrigin,
  isServedFromHere,
  isServedHost,
  readHost,
} from "./authority.ts";
import { headerNames, headerValues, isOriginForm, type RawHeaders } from "./raw-headers.ts";
import {
  hasCookie,
  hasProof,
  isRightToken,
  pageCookie,
  pageProof,
  presentedByPage,
  presentedToken,
} from "./token.ts";

export type InboundRequest = {
  readonly rawHeaders: RawHeaders;
  readonly method: string;
  readonly target: string;
  readonly peerAddress: string | undefined;
  /** The peer's user on this machine, or its address. */
  readonly peer: string;
  readonly localPort: number | undefined;
  /**
   * True if this server listens on every address of `localhost`. If not, a page from another server can also
   * use that name.
   */
  readonly ownsLocalhost: boolean;
  /** `undefined` only if the platform cannot determine the user. A failed lookup is `false`. */
  readonly peerIsOurUid: boolean | undefined;
  /** For how many seconds wrong tokens from this peer are refused and not counted. 0 if it may try now. */
  readonly tokenPauseSeconds: number;
};

export type Admitted = {
  readonly outcome: "admitted";
  /** A caller with the token and a caller with our own uid on this machine are both the owner. */
  readonly principal: "owner" | "anonymous";
  readonly how: "token" | "cookie" | "open" | "loopback";
  readonly mayRunCells: boolean;
  readonly corsOrigin?: string;
  /** For a browser that sent the token: the cookie as `name=value`, and the proof that its page stores. */
  readonly pageAccess?: { readonly cookie: string; readonly proof: string };
  /**
   * The cookie arrived without the page's proof, so another server may have sent it. Such a cookie gives
   * access only to the page's files.
   */
  readonly isUnproven?: true;
};

/**
 * A CORS preflight, which a browser sends without a token before the actual request. The answer consists only
 * of headers.
 */
export type Preflight = { readonly outcome: "preflight"; readonly corsOrigin: string };

export type Admission = Admitted | Preflight | Refused;

/** Our own page, one that the operator listed, or another page served from this machine. */
type PageKind = "own" | "listed" | "neighbour";

type Provenance = {
  readonly outcome: "known";
  /** `undefined` if no page sent the request. */
  readonly page: { readonly origin: string; readonly kind: PageKind } | undefined;
};

/**
 * Decides on every request and upgrade before its body is read. Rules are checked in order, and the first broken rule
 * determines the refusal.
 */
export function admit(request: InboundRequest, policy: AdmissionPolicy): Admission {
  const provenance = checkProvenance(request, policy);
  if (provenance.outcome === "refused") return provenance;

  const { page } = provenance;
  if (page && isPreflight(request)) return { outcome: "preflight", corsOrigin: page.origin };

  const caller = identifyCaller(request, policy, page?.kind === "neighbour");
  // Without CORS headers, a page could not even read that it needs a token.
  if (caller.outcome === "refused") return page ? readableBy(page.origin, caller) : caller;
  if (caller.how === "token") return { mayRunCells: true, corsOrigin: "*", ...caller };
  if (!page) return { mayRunCells: caller.isUnproven !== true, ...caller };
  return { mayRunCells: page.kind === "own", corsOrigin: page.origin, ...caller };
}

const maxHeaders = 100;

/** Applies rules 1 to 3: the request is meant for us, and no third-party web page sent it. */
function checkProvenance(request: InboundRequest, policy: AdmissionPolicy): Provenance | Refused {
  // Node silently drops headers above its own limit, and a forwarding header could be among them.
  if (request.rawHeaders.length > 2 * maxHeaders)
    return refuse("HEADERS_TOO_LARGE", `Send at most ${maxHeaders} headers.`);
  const host = readHost(request.rawHeaders);
  if (!host) return refuse("HOST_INVALID", "Send exactly one Host header: a name or an IP address[:port].");
  const [origin, ...otherOrigins] = headerValues(request.rawHeaders, "origin");
  if (otherOrigins.length > 0) return refuse("ORIGIN_INVALID", "Send at most one Origin header.");
  if (!isOriginForm(request.target))
    return refuse("TARGET_INVALID", "The target must be a plain /path?query.");

  if (!isServedHost(host, policy.allowedHosts)) {
    return refuse(
      "HOST_NOT_ALLOWED",
      "The server does not accept this Host header. To accept it, add the host to THOUGHTBOX_ALLOWED_HOSTS.",
    );
  }
  const kind = origin === undefined ? undefined : kindOfPage(origin, host, request, policy);
  if (origin === undefined ? isSentByForeignPage(request) : kind === undefined) {
    return refuse(
      "ORIGIN_NOT_ALLOWED",
      "Web pages from this origin have no access. To trust the origin, add it to THOUGHTBOX_ALLOWED_ORIGINS.",
    );
  }
  const isOwn = origin === undefined ? isSentByPage(request) : kind === "own";
  if (isOwn && !request.ownsLocalhost && isLocalhostName(host.name))
    return { outcome: "known", page: { origin: origin ?? `http://${host.name}`, kind: "neighbour" } };
  return { outcome: "known", page: origin === undefined || !kind ? undefined : { origin, kind } };
}

function kindOfPage(
  origin: string,
  host: Authority,
  { localPort }: InboundRequest,
  { uiOrigins, allowedOrigins }: AdmissionPolicy,
): PageKind | undefined {
  if (uiOrigins().includes(origin) || isServedFromHere(origin, host, localPort)) return "own";
  if (allowedOrigins.includes(origin)) return "listed";
  return isLoopbackOrigin(origin) ? "neighbour" : undefined;
}

type Caller = Pick<Admitted, "outcome" | "principal" | "how" | "pageAccess" | "isUnproven">;

/**
 * Applies rules 4 to 6, which determine who is calling. A page from another port must send the token itself,
 * because browsers send a host's cookies to all of its ports.
 */
function identifyCaller(
  request: InboundRequest,
  policy: AdmissionPolicy,
  isNeighbour: boolean,
): Caller | Refused {
  const token =
    presentedToken(request.rawHeaders) ?? (policy.hasPages ? presentedByPage(request) : undefined);
  if (token !== undefined) return judgeToken(token, request, policy);
  if (isNeighbour) return tokenRequired;
  const { cookie, proof } = accessFor(request, policy);
  const isFromBrowser = policy.hasPages && hasCookie(request.rawHeaders, cookie);
  if (isFromBrowser && hasProof(request.rawHeaders, proof))
    return { outcome: "admitted", principal: "owner", how: "cookie" };
  if (policy.auth === "off") return { outcome: "admitted", principal: "anonymous", how: "open" };
  if (policy.auth === "auto" && isOwnLocalCaller(request)) {
    return { outcome: "admitted", principal: "owner", how: "loopback" };
  }
  if (isFromBrowser) return { outcome: "admitted", principal: "anonymous", how: "cookie", isUnproven: true };
  return tokenRequired;
}

export const tokenRequired = refuse(
  "TOKEN_REQUIRED",
  "Send 'Authorization: Bearer <token>' with the value of THOUGHTBOX_TOKEN or of the token file in the data directory. " +
    "THOUGHTBOX_AUTH decides who needs it. Web pages always need the token, except those from this server and from THOUGHTBOX_ALLOWED_ORIGINS.",
  { "WWW-Authenticate": "Bearer" },
);

/** Always accepts the correct token, even after many wrong ones. Limits the rate of wrong tokens. */
function judgeToken(token: string, request: InboundRequest, policy: AdmissionPolicy): Caller | Refused {
  if (isRightToken(token, policy.tokenDigest)) {
    const access = policy.hasPages && { pageAccess: accessFor(request, policy) };
    return { outcome: "admitted", principal: "owner", how: "token", ...access };
  }
  if (request.tokenPauseSeconds > 0) {
    return refuse("TOO_MANY_WRONG_TOKENS", "Too many wrong tokens from this address. Wait, then try again.", {
      "Retry-After": String(Math.ceil(request.tokenPauseSeconds)),
    });
  }
  return refuse(
    "TOKEN_WRONG",
    "The token is wrong. Compare it with THOUGHTBOX_TOKEN or with the token file in the data directory.",
    {
      "WWW-Authenticate": 'Bearer error="invalid_token"',
    },
  );
}

/** Forwarded requests share one constant peer, because behind several proxies the peer changes with every request. */
function accessFor({ rawHeaders, localPort, peer }: InboundRequest, { tokenDigest }: AdmissionPolicy) {
  return {
    cookie: pageCookie(tokenDigest, localPort, wasForwarded(rawHeaders) ? "forwarded" : peer),
    proof: pageProof(tokenDigest, localPort),
  };
}

const forwardingNames: ReadonlySet<string> = new Set([
  "forwarded",
  "forwarded-for",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-proxyuser-ip",
  "x-remote-ip",
  "x-remote-addr",
  "x-originating-ip",
  "true-client-ip",
  "client-ip",
  "cdn-loop",
  "fastly-client-ip",
  "fly-client-ip",
]);

/** A request with a forwarding header comes from a proxy, not from a local process. */
const forwardingWords =
  /forward|proxy-client|(?:client|real|remote|source|src|user)-?(?:ip|addr)(?:$|-)|-via$/;

const forwardingPrefixes = [
  "x-forwarded",
  "x-original-",
  "x-envoy-",
  "x-azure-",
  "x-appengine-",
  "x-arr-",
  "x-vercel-",
  "x-nf-client-",
  "cf-",
  "tailscale-",
];

/** True if a proxy forwarded the request. The clients of a proxy on this machine look like loopback peers. */
function wasForwarded(rawHeaders: RawHeaders): boolean {
  return headerNames(rawHeaders)
    .map((name) => name.replaceAll("_", "-"))
    .some(
      (name) =>
        forwardingNames.has(name) ||
        forwardingWords.test(name) ||
        forwardingPrefixes.some((prefix) => name.startsWith(prefix)),
    );
}

function isOwnLocalCaller(request: InboundRequest): boolean {
  return (
    isLoopbackPeer(request.peerAddress) && !wasForwarded(request.rawHeaders) && request.peerIsOurUid !== false
  );
}

function isPreflight(request: InboundRequest): boolean {
  return (
    request.method === "OPTIONS" &&
    headerValues(request.rawHeaders, "access-control-request-method").length > 0
  );
}

/** True if a page sent the request. Only browsers send `Sec-Fetch-Site`. For a typed URL, it is `none`. */
const isSentByPage = ({ rawHeaders }: InboundRequest): boolean =>
  headerValues(rawHeaders, "sec-fetch-site").some((site) => site.toLowerCase() !== "none");

/**
 * Images, links and forms on third-party pages send no Origin, but current browsers send these headers.
 * Browsers treat a page from another port on this machine as same-site. That page may only link to this
 * server.
 */
function isSentByForeignPage({ rawHeaders }: InboundRequest): boolean {
  const sent = (name: string) => headerValues(rawHeaders, name).map((value) => value.toLowerCase());
  const sites = sent("sec-fetch-site");
  return (
    sites.includes("cross-site") ||
    (sites.includes("same-site") && !sent("sec-fetch-dest").every((kind) => kind === "document"))
  );
}

function readableBy(origin: string, refused: Refused): Refused {
  return { ...refused, headers: { ...refused.headers, ...corsHeaders(origin) } };
}
