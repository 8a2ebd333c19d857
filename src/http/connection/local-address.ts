export const isEverywhere = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Where a browser or a client on this machine reaches what was bound. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  const name = isEverywhere(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
