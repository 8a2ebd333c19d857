// Preloaded into a server: records how late a 20 ms timer fires, and writes it to a file five times a second.
import { appendFileSync } from "node:fs";

const everyMs = 20;
const path = process.env.BENCH_LOOP_DELAYS;
let last = performance.now();
let late = [];

if (path) {
  setInterval(() => {
    const now = performance.now();
    late.push(Math.max(0, now - last - everyMs).toFixed(2));
    last = now;
    if (late.length < 10) return;
    appendFileSync(path, `${late.join("\n")}\n`);
    late = [];
    last = performance.now();
  }, everyMs).unref();
}
