import type { ServerResponse } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createHistogram, formatMetrics, type Metric } from "../kernel/metrics.ts";
import type { StoreFigures } from "../ports/store.ts";
import type { Endpoint } from "./serve-endpoints.ts";

export type OperatingParts = {
  version: string;
  /** Rejects if the store cannot serve calls now. */
  check(): Promise<unknown>;
  figures?: (() => Promise<StoreFigures>) | undefined;
};

/** How long a check may take. Probes give up after a while, and waiting for a connection could take longer. */
const checkWithinMs = 2_000;
const batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const callBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Reports to operators whether the server is alive, whether it can serve, and what it is doing. */
export function createOperatingEndpoint({ version, check, figures }: OperatingParts) {
  let isStopping = false;
  let inFlight = 0;
  const outcomes = new Map<string, Map<string, number>>();
  const durations = new Map<string, ReturnType<typeof createHistogram>>();
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();

  function count(operation: string, outcome: string, seconds: number): void {
    const known = outcomes.get(operation) ?? new Map<string, number>();
    outcomes.set(operation, known.set(outcome, (known.get(outcome) ?? 0) + 1));
    const duration = durations.get(operation) ?? createHistogram(callBounds);
    durations.set(operation, duration);
    duration.note(seconds);
  }

  async function isReady(): Promise<boolean> {
    if (isStopping) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), checkWithinMs);
    });
    const checked = check().then(
      () => true,
      () => false,
    );
    return Promise.race([checked, late]).finally(() => clearTimeout(timer));
  }

  async function describe(): Promise<string> {
    const store = await figures?.().catch(() => undefined);
    const calls = [...outcomes].flatMap(([operation, counts]) =>
      [...counts].map(([outcome, value]) => ({ labels: { operation, outcome }, value })),
    );
    const metrics: Metric[] = [
      {
        name: "thoughtbox_info",
        help: "The version of this server.",
        samples: [{ labels: { version }, value: 1 }],
      },
      {
        name: "thoughtbox_calls_total",
        help: "Calls by operation and outcome (ok, ask, or an error code).",
        type: "counter",
        samples: calls,
      },
      {
        name: "thoughtbox_call_seconds",
        help: "How long calls take, by operation.",
        type: "histogram",
        samples: [...durations].flatMap(([operation, duration]) => duration.samples({ operation })),
      },
      { name: "thoughtbox_calls_in_flight", help: "Calls in progress.", samples: [{ value: inFlight }] },
      ...(store ? describeStore(store) : []),
      ...describeProcess(delay.percentile(99) / 1e9),
    ];
    delay.reset();
    return formatMetrics(metrics);
  }

  const endpoint: Endpoint = {
    routes: [
      {
        path: "/healthz",
        methods: ["GET", "HEAD"],
        isOpen: true,
        handle: (_req, res) => sendText(res, 200, "ok\n"),
      },
      {
        path: "/readyz",
        methods: ["GET", "HEAD"],
        isOpen: true,
        handle: async (_req, res) =>
          (await isReady()) ? sendText(res, 200, "ready\n") : sendText(res, 503, "not ready\n"),
      },
      {
        path: "/metrics",
        methods: ["GET"],
        handle: async (_req, res) =>
          sendText(res, 200, await describe(), "text/plain; version=0.0.4; charset=utf-8"),
      },
    ],
    retire() {
      isStopping = true;
    },
    endStreams() {},
    close() {
      delay.disable();
    },
  };
  return {
    endpoint,
    /** Runs a call and counts it. */
    async measure<Reply extends { kind: string; error?: { code: string } }>(
      operation: string,
      run: () => Promise<Reply>,
    ): Promise<Reply> {
      const begun = performance.now();
      inFlight += 1;
      try {
        const reply = await run();
        const outcome = reply.error?.code ?? (reply.kind === "result" ? "ok" : reply.kind);
        count(operation, outcome, (performance.now() - begun) / 1_000);
        return reply;
      } finally {
        inFlight -= 1;
      }
    },
  };
}

function describeStore({ queue, batches, lockWaitSeconds, pool, feedBehind }: StoreFigures): Metric[] {
  const sizes = createHistogram(batchBounds);
  for (const [size, times] of batches) sizes.note(size, times);
  const gauge = (name: string, help: string, value: number | undefined): Metric[] =>
    value === undefined ? [] : [{ name, help, samples: [{ value }] }];
  return [
    ...gauge("thoughtbox_commit_queue", "Writes waiting for the next commit.", queue),
    {
      name: "thoughtbox_commit_batch_size",
      help: "Writes per commit.",
      type: "histogram",
      samples: sizes.samples({}),
    },
    ...(lockWaitSeconds === undefined
      ? []
      : [
          {
            name: "thoughtbox_lock_wait_seconds_total",
            help: "Time that commits have waited for their tenant's lock.",
            type: "counter" as const,
            samples: [{ value: lockWaitSeconds }],
          },
        ]),
    ...(pool
      ? [
          {
            name: "thoughtbox_pool_connections",
            help: "Connections to the database, calls waiting for one, and the maximum.",
            samples: Object.entries(pool).map(([state, value]) => ({ labels: { state }, value })),
          },
        ]
      : []),
    ...gauge("thoughtbox_feed_behind", "Changes to the store that this server has not read yet.", feedBehind),
  ];
}

function describeProcess(eventLoopDelay: number): Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: "process_cpu_seconds_total",
      help: "CPU time used by this server.",
      type: "counter",
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: "process_resident_memory_bytes",
      help: "Resident memory of this server.",
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: "process_uptime_seconds",
      help: "Time since this server started.",
      samples: [{ value: process.uptime() }],
    },
    {
      name: "thoughtbox_event_loop_delay_seconds",
      help: "Event loop delay, 99th percentile since the last scrape.",
      samples: [{ value: eventLoopDelay }],
    },
  ];
}

function sendText(
  res: ServerResponse,
  status: number,
  body: string,
  type = "text/plain; charset=utf-8",
): void {
  res.writeHead(status, { "Content-Type": type }).end(body);
}
