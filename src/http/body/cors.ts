type Headers = Record<string, string>;

/** No credentials are ever allowed by CORS, so `*` may stand for all response headers. */
export function corsHeaders(corsOrigin: string): Headers {
  return {
    "Access-Control-Allow-Origin": corsOrigin,
    "Access-Control-Expose-Headers": "*",
    Vary: "Origin",
  };
}

/** An origin we let in may send any header it likes: headers decide nothing that admission did not. */
export function preflightHeaders(
  corsOrigin: string,
  methods: readonly string[],
  requestedHeaders: string | undefined,
): Headers {
  const isHeaderList = /^[\w!#$%&'*+.^`|~, -]{1,1024}$/.test(requestedHeaders ?? "");
  return {
    ...corsHeaders(corsOrigin),
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Max-Age": "600",
    ...(isHeaderList && requestedHeaders ? { "Access-Control-Allow-Headers": requestedHeaders } : {}),
  };
}
