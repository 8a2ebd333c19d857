import { addressOf } from "../../../http/connection/local-address.ts";
import { CommandFailure } from "../../failure.ts";
import type { Server } from "../../host.ts";
import { anotherPort, explainListenError, observatoryPort } from "../../listening.ts";

/** Why the Observatory could not be opened, with where it is open already; `undefined` for what is no matter of listening. */
export async function explainTakenObservatory(
  thrown: unknown,
  host: Server,
): Promise<{ failure: CommandFailure; isOpen: boolean } | undefined> {
  const failure = explainListenError(thrown, observatoryPort);
  if (!failure) return undefined;
  const { code, port, address } = thrown as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code !== "EADDRINUSE" || port === undefined || address === undefined) return { failure, isOpen: false };
  const url = addressOf({ host: address, port });
  if (!(await host.isObservatory(url))) return { failure, isOpen: false };
  const { variable, command } = observatoryPort;
  const open = new CommandFailure(
    `the Observatory is already open at ${url}/. For a second one: ${variable}=${anotherPort(port)} thoughtbox ${command}`,
  );
  return { failure: open, isOpen: true };
}
