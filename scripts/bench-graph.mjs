// Measures the Observatory's graph in a real browser: layout, first paint, and script time per frame. Prints
// a table. If no arguments are given, also measures a large store.
//   node scripts/bench-graph.mjs [thoughts …]
// Measures only home, lists and search in a large store, which it fills first: 10,000 sessions with 100 thoughts each.
//   node scripts/bench-graph.mjs --store [sessions] [thoughts per session]
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { places, flags } = JSON.parse(readFileSync(join(root, "scripts", "chromium.json"), "utf8"));
const executablePath = places.find((place) => existsSync(place));
if (!executablePath) {
  console.error("bench-graph: no chromium found. Install it, for example with apt install chromium.");
  process.exit(1);
}

const largeStore = { sessions: 10_000, thoughts: 100 };
if (process.argv[2] === "--store") {
  const [sessions = largeStore.sessions, thoughts = largeStore.thoughts] = process.argv.slice(3).map(Number);
  await measureStore({ sessions, thoughts });
  process.exit(0);
}

const COLD_RUNS = 5;
const sizes = process.argv.slice(2).map(Number).filter(Boolean);
const folder = mkdtempSync(join(tmpdir(), "thoughtbox-bench-"));
/** Returns the main thread's processor time in milliseconds, as on a quiet machine. Linux only. */
async function mainThreadClock(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  // Chromium also keeps a spare renderer. The spare one is idle, so the sum is the page's time.
  const files = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => `/proc/${id}/task/${id}/schedstat`);
  const spent = (file) =>
    existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : Number.NaN;
  return () => files.reduce((sum, file) => sum + spent(file), 0);
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
/** Returns the median, minimum and maximum. */
const between = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return `${at(sorted, 0.5).toFixed(1)} (${at(sorted, 0).toFixed(1)} … ${at(sorted, 1).toFixed(1)})`;
};
const both = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return `${at(sorted, 0.5).toFixed(1)} / ${at(sorted, 0.95).toFixed(1)}`;
};

try {
  await build({
    entryPoints: [join(root, "ui", "bench", "page.ts")],
    outdir: folder,
    bundle: true,
    format: "iife",
    loader: { ".woff2": "dataurl" },
    logLevel: "warning",
  });
  const page = join(folder, "bench.html");
  writeFileSync(
    page,
    '<!doctype html><html data-theme="dark"><meta charset="utf-8"><link rel="stylesheet" href="page.css"><body><script src="page.js"></script>',
  );
  const browser = await chromium.launch({
    executablePath,
    headless: true,
    args: [...flags, "--js-flags=--expose-gc"],
  });
  try {
    const openTab = async (size) => {
      const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      tab.on("pageerror", (error) => console.error(error));
      await tab.goto(pathToFileURL(page).href);
      await tab.evaluate((n) => window.bench.prepare(n), size);
      return { tab, busy: await mainThreadClock(browser) };
    };
    /** Takes each measurement in a new page, in which no code is warm. */
    const measureCold = async (size, measure) => {
      const times = [];
      const cpu = [];
      for (let n = 0; n < COLD_RUNS; n++) {
        const { tab, busy } = await openTab(size);
        const before = busy();
        times.push(await measure(tab));
        cpu.push(busy() - before);
        await tab.close();
      }
      return `${between(times)} ms (CPU of the main thread ${between(cpu)} ms)`;
    };
    for (const size of sizes.length > 0 ? sizes : [10_000, 50_000, 100_000]) {
      console.log(`\n${size} thoughts; cold: median (least … most) of ${COLD_RUNS} fresh pages`);
      const layout = await measureCold(size, (tab) => tab.evaluate(() => window.bench.layOut()));
      console.log(`  layout ${layout}`);
      const scripts = [];
      const paint = await measureCold(size, async (tab) => {
        const { firstPaint, firstScript } = await tab.evaluate(() => window.bench.open());
        scripts.push(firstScript);
        return firstPaint;
      });
      console.log(`  first paint after data ${paint}; script of its frame ${between(scripts)} ms`);
      const { tab } = await openTab(size);
      await tab.evaluate(() => window.bench.open());
      console.log("  zoom     script p50 / p95   frame p50 / p95   ms");
      for (const zoom of [0, 0.09, 0.2, 0.4, 0.6, 1]) {
        const { script, between: gaps } = await tab.evaluate((z) => window.bench.drive(z, 160), zoom);
        const name = zoom === 0 ? "fit" : String(zoom);
        console.log(`  ${name.padEnd(8)} ${both(script).padEnd(18)} ${both(gaps)}`);
      }
      await tab.close();
    }
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (sizes.length === 0) await measureStore(largeStore);

/** Starts the built program on its own store and requests each address once, in the order of a visit. */
async function measureStore(size) {
  const place = mkdtempSync(join(tmpdir(), "thoughtbox-bench-store-"));
  const bundle = join(root, "node_modules", ".cache", "large-store.mjs");
  let server;
  try {
    await build({
      entryPoints: [join(root, "bench", "observatory", "large-store.ts")],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "warning",
    });
    const { fillYear, visits } = await import(pathToFileURL(bundle).href);
    console.log(`filling ${size.sessions} sessions of ${size.thoughts} thoughts …`);
    await fillYear(place, size);
    server = spawn(process.execPath, [join(root, "dist", "thoughtbox.js"), "observatory"], {
      env: {
        ...process.env,
        THOUGHTBOX_DATA_DIR: place,
        THOUGHTBOX_OBSERVATORY_PORT: "0",
        HOST: "127.0.0.1",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const url = await new Promise((resolve, reject) => {
      let said = "";
      const listen = (chunk) => {
        said += chunk;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (found) resolve(found[0]);
      };
      server.stdout.on("data", listen);
      server.stderr.on("data", listen);
      server.on("exit", () => reject(new Error(`the server ended: ${said}`)));
    });
    const busy = () => {
      const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
    console.log("                               by the clock   on a processor");
    for (const { name, path } of visits()) {
      const before = { cpu: busy(), at: performance.now() };
      const answer = await fetch(url + path);
      await answer.text();
      const took = `${Math.round(performance.now() - before.at)} ms`;
      console.log(`  ${name.padEnd(29)}${took.padStart(12)}${`${busy() - before.cpu} ms`.padStart(17)}`);
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    }
  } finally {
    server?.kill();
    rmSync(bundle, { force: true });
    rmSync(place, { recursive: true, force: true });
  }
}
