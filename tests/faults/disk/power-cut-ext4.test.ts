import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compileShim, createDiskShim } from "../../support/disk/disk-shim.ts";
import { mountExt4, noExt4 } from "../../support/disk/ext4-disk.ts";
import { checkSession, createOracle, type Oracle } from "../../support/oracle.ts";
import { connectRaw, type RawClient, startThinking } from "../../support/raw-client.ts";
import { enoughTime, reportSoak, times } from "../../support/run/soak.ts";
import { chanceFor } from "../../support/seeded-random.ts";
import { spawnServer } from "../../support/server-process.ts";
import { eventually } from "../../support/views/tree.ts";

if (noExt4) process.stderr.write(`skipped: ${noExt4}\n`);

const cuts = times("ext4 power cuts", 5);
const inFlight = 4;

/** Writes without a pause until nothing is acknowledged. */
async function writeUntilDark(client: RawClient, sessionId: string, oracle: Oracle, onAnswer: () => void) {
  const write = async (): Promise<void> => {
    for (;;) {
      const thought = `thought ${oracle.sent.size} ${"x".repeat((oracle.sent.size * 997) % 20_000)}`;
      oracle.sent.add(thought);
      const { error, thoughtNumber } = await client.gateway("thought", { sessionId, thought });
      if (error) return expect(error).toMatchObject({ code: "STORAGE_ERROR" });
      oracle.acknowledged.set(thought, thoughtNumber);
      onAnswer();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, write));
}

test.skipIf(noExt4)(
  `${cuts} power cuts on a real ext4 during writes lose no acknowledged thought`,
  { timeout: enoughTime(cuts, 10_000) },
  async () => {
    const disk = mountExt4();
    const { envBeforeReboot } = createDiskShim(compileShim(), disk.dataDir);
    const { LD_PRELOAD, DISK_BOOT_ID } = envBeforeReboot;
    const oracles = new Map<string, Oracle>();
    const { upTo } = chanceFor("power cuts");
    for (let cut = 0; cut <= cuts; cut += 1) {
      const client = await connectRaw(spawnServer(disk.dataDir, { LD_PRELOAD, DISK_BOOT_ID }), "modern");
      for (const [sessionId, oracle] of [...oracles].slice(cut === cuts ? 0 : -1)) {
        const verify = () => client.call("session", { subOperation: "verify", sessionId });
        await eventually(async () => (await verify()).valid);
        await checkSession(client, sessionId, oracle);
      }
      const [sessionId, oracle] = [await startThinking(client), createOracle()];
      oracles.set(sessionId, oracle);
      // Use a new file each time, because ext4 flushes a file that is overwritten.
      const canary = join(disk.path, `canary-${cut}`);
      const cutAfter = 1 + upTo(59);
      await writeUntilDark(client, sessionId, oracle, () => {
        if (oracle.acknowledged.size !== cutAfter) return;
        writeFileSync(canary, "never synced");
        disk.cutPower();
      });
      client.server.child.kill("SIGKILL");
      await client.server.exited;
      disk.restart();
      const survived = existsSync(canary) && readFileSync(canary, "utf8") === "never synced";
      expect(survived, "the cut took nothing away").toBe(false);
    }
    const acknowledged = [...oracles.values()].reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    expect(acknowledged).toBeGreaterThan(cuts);
    reportSoak(
      "power cuts on a real ext4 file system",
      `${cuts} cuts, ${acknowledged} thoughts acknowledged, none lost`,
    );
  },
);
