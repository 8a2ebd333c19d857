import type { Layer } from "./layer.ts";

/** Namespaces for users, network and processes by util-linux; files are kept by Node's permission flags alone. */
export function createUnshare(unshare: string, setpriv: string | undefined): Layer {
  return {
    level: "medium",
    permissions: true,
    inside: (directory) => directory,
    wrap: (command, { net }) => [
      ...dieWithParent(setpriv),
      unshare,
      ...["--user", "--map-current-user", "--pid", "--fork", "--kill-child", "--ipc", "--uts"],
      ...(net ? [] : ["--net"]),
      "--",
      ...asChild,
      ...command,
    ],
  };
}

/** The first process of a namespace is deaf to signals it does not handle, that of the processor limit among them. */
const asChild = ["/bin/sh", "-c", '"$@"; exit $?', "sh"];

/** Ends the process when the server is ended without a chance to do it itself. */
export function dieWithParent(setpriv: string | undefined): string[] {
  return setpriv === undefined ? [] : [setpriv, "--pdeathsig", "KILL", "--"];
}
