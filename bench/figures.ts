import { p50, p95, p99, type Samples } from "./measure/samples.ts";
import type { Figure } from "./row.ts";

export const milliseconds = (samples: Samples): Figure => ({
  value: p50(samples),
  unit: "ms",
  p99: p99(samples),
});

export const millisecondsTo95 = (samples: Samples): Figure => ({
  value: p50(samples),
  unit: "ms",
  p95: p95(samples),
});
