// Preloaded into the server under test. At SIGUSR2 it reports the longest processor time between two event loop turns.
import { readFileSync } from "node:fs";

const processorTime = () => {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
};
let longest = 0;
let before = processorTime();
const look = () => {
  const now = processorTime();
  longest = Math.max(longest, now - before);
  before = now;
  setImmediate(look).unref();
};
look();
process.on("SIGUSR2", () => {
  look();
  process.stderr.write(`longest piece: ${longest} ms\n`);
  longest = 0;
});
