import { addressOf } from "../http/connection/peer-uid.ts";
import { quote } from "../kernel/text.ts";
import { CommandFailure } from "./failure.ts";
import type { Server, Service } from "./host.ts";

export function describeAccess(auth: Service["auth"], token: string): string {
  switch (auth) {
    case "auto":
      return `your own processes need no token. Everyone else needs ${token}`;
    case "token":
      return `everyone needs ${token}`;
    case "off":
      return "EVERYONE who can reach this port, without a token (THOUGHTBOX_AUTH=off)";
  }
}

/** Returns the next port, or for the last port, the previous one. */
export const anotherPort = (port: number): number => (port < 65_535 ? port + 1 : port - 1);

type PortSetting = { variable: string; standard: number; command: string };

export const observatoryPort: PortSetting = {
  variable: "THOUGHTBOX_OBSERVATORY_PORT",
  standard: 1729,
  command: "observatory",
};

type ListenError = NodeJS.ErrnoException & { port?: number; hostname?: string; address?: string };

/** Handles only errors from listening, because the error for an unreadable file can have the same code. */
export function explainListenError(thrown: unknown, setting: PortSetting): CommandFailure | undefined {
  const { code, port, syscall, hostname, address } = thrown as ListenError;
  const named = hostname ?? address;
  if (syscall !== "listen" && syscall !== "getaddrinfo") return undefined;
  const { variable, standard, command } = setting;
  switch (code) {
    case "EADDRINUSE":
      return new CommandFailure(
        `port ${port} is in use. Stop the other program, or choose another port: ${variable}=${anotherPort(port ?? standard)} thoughtbox ${command}`,
      );
    case "EACCES":
      return new CommandFailure(
        `port ${port} is not allowed for this user. Choose a port higher than 1023: ${variable}=${standard} thoughtbox ${command}`,
      );
    default:
      return new CommandFailure(
        `HOST is ${quote(named ?? "")}, which is not an address on this machine. Use HOST=127.0.0.1 or HOST=0.0.0.0.`,
      );
  }
}

/** Explains why the Observatory could not be opened and where it is open. `undefined` for other errors. */
export async function explainTakenObservatory(
  thrown: unknown,
  host: Server,
): Promise<{ failure: CommandFailure; isOpen: boolean; url?: string } | undefined> {
  const failure = explainListenError(thrown, observatoryPort);
  if (!failure) return undefined;
  const { code, port, address } = thrown as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code !== "EADDRINUSE" || port === undefined || address === undefined) return { failure, isOpen: false };
  const url = addressOf({ host: address, port });
  const running = await host.isObservatory(url);
  if (!running) return { failure, isOpen: false };
  const { variable, command } = observatoryPort;
  if (running === "another store") {
    const other = new CommandFailure(
      `the Observatory at ${url}/ shows another store. To show this one: ${variable}=${anotherPort(port)} thoughtbox ${command}`,
    );
    return { failure: other, isOpen: false };
  }
  const open = new CommandFailure(
    `the Observatory is already open at ${url}/. To start another: ${variable}=${anotherPort(port)} thoughtbox ${command}`,
  );
  return { failure: open, isOpen: true, url };
}
