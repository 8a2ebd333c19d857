import { flushFiles } from "../ask.ts";
import type { Host, Terminal } from "../host.ts";
import { createProgressBar, showNotice } from "../rendering/progress.ts";
import { verifyAll } from "../verify-store.ts";
import {
  checkMemory,
  checkNotebooks,
  checkSessions,
  checkStore,
  checkTree,
  checkUnknown,
} from "./check-store.ts";
import {
  checkClients,
  checkDirectory,
  checkNode,
  checkPort,
  checkSandbox,
  checkSettings,
} from "./check-surroundings.ts";
import { badBecause, type Check } from "./render-checks.ts";

/** Checks everything that can be checked, even if other checks fail. Creates no directories. */
export async function examine(terminal: Terminal, openHost: () => Promise<Host>): Promise<Check[]> {
  const node = checkNode(terminal.nodeVersion);
  try {
    const settings = terminal.settings();
    const host = await openHost();
    const directory = host.inspectDirectory();
    const port = Number(settings.find(({ key }) => key === "port")?.value ?? 0);
    const usable = host.tree === undefined || (directory.exists && directory.flaw === undefined);
    return [
      node,
      checkSettings(settings, terminal.unknownSettings()),
      ...(host.tree ? [checkDirectory(directory)] : []),
      ...(usable ? await examineStore(terminal, host) : []),
      checkPort(await host.probePort(), port),
      checkSandbox(await host.inspectSandbox()),
      ...checkClients((await terminal.clients()).list()),
    ];
  } catch (thrown) {
    // If the check was cancelled, nothing is wrong with the settings.
    terminal.stop.throwIfAborted();
    return [node, badBecause("settings", thrown)];
  }
}

async function examineStore(terminal: Terminal, host: Host): Promise<Check[]> {
  try {
    const store = checkStore(await host.upkeep.inspect(terminal.stop));
    // Pending changes are written first, so that the report names only changes that cannot be written.
    await flushFiles(terminal, host);
    return [
      ...store,
      checkTree(await host.tree?.status()),
      ...checkUnknown(await host.countUnknownSessions(terminal.stop)),
      await examineSessions(terminal, host),
      await examineMemory(terminal, host),
      await examineNotebooks(terminal, host),
    ];
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return [badBecause("store", thrown)];
  }
}

async function examineMemory(terminal: Terminal, host: Host): Promise<Check> {
  const done = showNotice(terminal, "checking the memory …");
  try {
    return checkMemory(await host.upkeep.inspectMemory(terminal.stop));
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return badBecause("memory", thrown);
  } finally {
    done();
  }
}

async function examineNotebooks(terminal: Terminal, host: Host): Promise<Check> {
  try {
    return checkNotebooks(await host.inspectNotebooks(), (await host.notebookFiles?.findDifferences()) ?? []);
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return badBecause("notebooks", thrown);
  }
}

async function examineSessions(terminal: Terminal, host: Host): Promise<Check> {
  const bar = createProgressBar(terminal, "verifying sessions");
  try {
    return checkSessions(await verifyAll(host, { signal: terminal.stop, progress: bar.update }));
  } catch (thrown) {
    terminal.stop.throwIfAborted();
    return badBecause("sessions", thrown);
  } finally {
    bar.end();
  }
}
