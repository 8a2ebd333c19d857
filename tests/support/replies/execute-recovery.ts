import type { ErrorReply } from "../../../src/kernel/reply.ts";
import type { TestClient } from "../test-app.ts";

type Args = Record<string, unknown>;

/**
 * Follows a refusal's advice: makes the advised call unchanged or, with `patch`, merges its `args` into those
 * of the failed call. Returns the result. A missing or failing recovery fails the test.
 */
export async function executeRecovery(client: TestClient, failed: Args, error: ErrorReply): Promise<any> {
  const { recovery } = error;
  if (recovery?.operation === undefined) throw new Error(`no call to recover by: ${JSON.stringify(error)}`);
  const advised = recovery.args ?? {};
  return client.call(recovery.operation, recovery.patch ? { ...failed, ...advised } : advised);
}

/** Makes a call that must be refused and whose recovery must work. Returns the refusal. */
export async function refusalWithCure(client: TestClient, name: string, args: Args): Promise<ErrorReply> {
  const error = await client.refusal(name, args);
  await executeRecovery(client, args, error);
  return error;
}
