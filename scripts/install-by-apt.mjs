// Installs programs that some tests need and npm does not have. Uses apt-get only if it asks no question: as
// root, or with sudo without a password. If the installation fails, the tests run anyway, and tests without
// their program are reported as skipped.
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const seconds = 1_000;
const limits = { ask: 10 * seconds, update: 90 * seconds, install: 240 * seconds };

/** Packages that tests need. A package counts as installed if any of its `programs` exists. */
export const testPrograms = [
  { package: "bubblewrap", programs: ["bwrap"], for: "the strong sandbox of notebook cells" },
  {
    package: "chromium",
    programs: ["chromium", "chromium-browser", "google-chrome"],
    for: "the tests of the Observatory in a browser",
  },
  { package: "postgresql", programs: ["pg_ctlcluster", "pg_ctl"], for: "the tests of PostgreSQL" },
  { package: "pgbouncer", programs: ["pgbouncer"], for: "the tests of PostgreSQL behind a pooler" },
  { package: "passt", programs: ["pasta"], for: "the network of notebook cells" },
];

function find(name, path) {
  return path.split(delimiter).some((directory) => {
    try {
      const file = join(directory, name);
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

/** Installs the wanted packages and reports through `say`. Never throws or waits longer than the limits. */
export function installByApt(wanted, { env = process.env, isRoot = process.getuid?.() === 0, say }) {
  const path = [env.PATH ?? "", "/usr/sbin"].join(delimiter);
  const lacking = wanted.filter(({ programs }) => !programs.some((name) => find(name, path)));
  if (lacking.length === 0) return;
  const names = lacking.map((one) => one.package).join(" and ");
  const why = lacking.map((one) => `${one.package} is for ${one.for}`).join("; ");
  const leave = (because) =>
    say(`${names} cannot be installed here (${because}). Tests that need it are skipped. ${why}.`);
  if (env.THOUGHTBOX_TEST_APT === "off") return leave("THOUGHTBOX_TEST_APT is off");
  if (!find("apt-get", path)) return leave("there is no apt-get");
  const prefix = isRoot ? [] : ["sudo", "-n"];
  const run = (words, timeout) => {
    const [command, ...args] = [...prefix, ...words];
    const options = { env: { ...env, DEBIAN_FRONTEND: "noninteractive" }, timeout, killSignal: "SIGKILL" };
    return spawnSync(command, args, { ...options, stdio: "ignore" }).status === 0;
  };
  if (!isRoot && !(find("sudo", path) && run(["true"], limits.ask)))
    return leave("neither root nor a sudo without password");
  say(`installing ${names} with apt-get. THOUGHTBOX_TEST_APT=off prevents this …`);
  const apt = (words, timeout) =>
    run(["apt-get", "-o", "DPkg::Lock::Timeout=20", "-o", "Acquire::Retries=1", "-qq", ...words], timeout);
  const install = (some) =>
    apt(["install", "-y", "--no-install-recommends", ...some.map((one) => one.package)], limits.install);
  if (install(lacking) || (apt(["update"], limits.update) && install(lacking))) return;
  // A package that an older Debian lacks must not prevent the others from being installed.
  if (lacking.length > 1) for (const one of lacking) install([one]);
  leave("apt-get failed");
}
