import { randomUUID } from "node:crypto";
import { refusalWithCure } from "./replies/execute-recovery.ts";
import type { TestClient } from "./test-app.ts";

/** A client that works in a workspace of its own; what it is refused, the advised recovery cures. */
export function inWorkspace(client: TestClient, workspace = `w/${randomUUID()}`) {
  return {
    client,
    workspace,
    call: (name: string, args: object = {}) => client.call(name, { workspace, ...args }),
    refusal: (name: string, args: object = {}) => refusalWithCure(client, name, { workspace, ...args }),
  };
}
