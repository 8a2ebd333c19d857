import { randomUUID } from "node:crypto";
import { refusalWithCure } from "./replies/execute-recovery.ts";
import type { TestClient } from "./test-app.ts";

/** Returns a client in its own workspace. If a call is refused, the advised recovery must work. */
export function inWorkspace(client: TestClient, workspace = `w/${randomUUID()}`) {
  return {
    client,
    workspace,
    call: (name: string, args: object = {}) => client.call(name, { workspace, ...args }),
    refusal: (name: string, args: object = {}) => refusalWithCure(client, name, { workspace, ...args }),
  };
}
