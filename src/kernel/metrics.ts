type Labels = Readonly<Record<string, string>>;

/** Only histograms have a `suffix`. */
export type Sample = { labels?: Labels; suffix?: "_bucket" | "_sum" | "_count"; value: number };

export type Metric = {
  name: string;
  help: string;
  /** Default: gauge. */
  type?: "counter" | "histogram";
  samples: readonly Sample[];
};

/** Counts each value at the smallest bound that it does not exceed. */
export function createHistogram(bounds: readonly number[]) {
  const counts = bounds.map(() => 0);
  let [sum, count] = [0, 0];
  return {
    note(value: number, times = 1): void {
      const at = bounds.findIndex((bound) => value <= bound);
      if (at >= 0) counts[at] = (counts[at] ?? 0) + times;
      sum += value * times;
      count += times;
    },
    samples(labels: Labels): Sample[] {
      let below = 0;
      const buckets = bounds.map((bound, n): Sample => {
        below += counts[n] ?? 0;
        return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below };
      });
      return [
        ...buckets,
        { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
        { suffix: "_sum", labels, value: sum },
        { suffix: "_count", labels, value: count },
      ];
    },
  };
}

/** Renders the Prometheus text format, version 0.0.4. Omits metrics without samples. */
export function formatMetrics(metrics: readonly Metric[]): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, type = "gauge", samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(
        ({ suffix = "", labels = {}, value }) => `${name}${suffix}${formatLabels(labels)} ${value}`,
      ),
    ]);
  return `${lines.join("\n")}\n`;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapeLabel = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
