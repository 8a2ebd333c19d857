// A repository for the pictures of the Files page, and the transcripts of the agents that wrote parts of it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const minute = 60_000;
const day = 24 * 60 * minute;

const start = `import { gateway } from "../gateway";
import { orders } from "../orders";
import type { Job, Shipment } from "../types";
`;
const charge = `
export async function charge(job: Job): Promise<void> {
  const order = await orders.get(job.orderId);
  const result = await gateway.capture(order, {
    amount: order.total,
    idempotencyKey: job.id,
  });
  await orders.markCaptured(order.id, result.chargeId);
}

export class Declined extends Error {
  constructor(readonly orderId: string, reason: string) {
    super(reason);
  }
}
`;
const refund = `import { gateway } from "../gateway";

export async function refund(order: Order, shipment: Shipment): Promise<void> {
  await gateway.refund(order.chargeId, { idempotencyKey: order.id });
}
`;

/** What the agents did: minutes before now, and what they thought, edited or ran. */
const sessions = [
  {
    id: "aaaaaaaa-0000-4000-8000-000000000001",
    from: 200 * 24 * 60,
    asked: "Why does the queue lose jobs?",
    steps: [
      ["think", 1, "S1|O|The queue forgets its jobs at a restart."],
      [
        "write",
        2,
        "src/jobs/queue.ts",
        'export const queue = [];\n// written to disk before a job is taken\nexport const journal = "jobs.log";\n',
      ],
    ],
    commit: [5, "Keep a journal of jobs"],
    // People wrote this.
    later: [
      [
        100 * 24 * 60,
        "Split charge from checkout",
        { "src/payments/charge.ts": start + charge, "src/payments/refund.ts": refund },
      ],
    ],
  },
  {
    id: "bbbbbbbb-0000-4000-8000-000000000002",
    from: 300,
    asked: "37 orders were charged twice since Tuesday. Find the cause and stop it.",
    steps: [
      [
        "think",
        9,
        "S1|E|A redelivered job arrives after the first one has finished: the lease ends after 5 s, and captures take up to 6.2 s.",
      ],
      [
        "edit",
        10,
        "src/payments/charge.ts",
        "  const order = await orders.get(job.orderId);\n",
        "  const order = await orders.get(job.orderId);\n  // a second delivery may come after the first is done\n  if (order.captured.has(job.shipment.no)) return;\n",
      ],
      [
        "think",
        20,
        "S2|P|S1|A stopgap until the key is right. It stays because a slow capture is not an error.",
      ],
      [
        "edit",
        21,
        "src/payments/charge.ts",
        "\nexport class Declined",
        "\n/** Capture p99 is 6.2 s under load; 5 s lost the job. */\nexport const LEASE_SECONDS = 30;\n\nexport class Declined",
      ],
      ["run", 24, "npm test", "41 passed"],
    ],
    commit: [30, "Stopgap: a lease of 30 s"],
  },
  {
    id: "cccccccc-0000-4000-8000-000000000003",
    from: 90,
    asked: "Make the capture key survive split shipments, as decided this morning. Refunds too.",
    steps: [
      ["think", 4, "S1|H|The order ID as key would be enough."],
      ["edit", 5, "src/payments/charge.ts", "    idempotencyKey: job.id,", "    idempotencyKey: order.id,"],
      ["think", 10, "S2|X|S1|Not the order ID: 1.8% of orders ship in parts and need two captures."],
      ["edit", 11, "src/payments/charge.ts", "    idempotencyKey: order.id,", "    idempotencyKey: job.id,"],
      [
        "think",
        30,
        "S3|R|^S1|Root cause: one key per run instead of one per shipment. `job.id` changes when the queue hands a job out again: 5512 becomes 5512#2, so the gateway sees two different captures and takes both.",
      ],
      [
        "edit",
        31,
        "src/payments/charge.ts",
        "  const result = await gateway.capture(order, {\n    amount: order.total,\n    idempotencyKey: job.id,\n  });\n",
        "\n  const key = captureKey(order.id, job.shipment);\n  const lease = await job.extend({ seconds: LEASE_SECONDS });\n  const result = await gateway.capture(order, {\n    amount: job.shipment.amount,\n    idempotencyKey: key, // not job.id: a redelivery renews it\n    timeoutMs: 25_000,\n  });\n",
      ],
      [
        "think",
        40,
        "S4|C|S3|captureKey is the one place that makes the key, so that capture and refund cannot differ.",
      ],
      [
        "edit",
        41,
        "src/payments/charge.ts",
        "\nexport async function charge",
        "\n/** One key per shipment: an order may ship in parts. */\nexport function captureKey(order: string, s: Shipment) {\n  return order + s.no;\n}\n\nexport async function charge",
      ],
      ["think", 45, "S5|E|S4|The gateway refuses a refund without the key of its capture for split orders."],
      [
        "edit",
        46,
        "src/payments/refund.ts",
        "  await gateway.refund(order.chargeId, { idempotencyKey: order.id });\n",
        "  const key = captureKey(order.id, shipment);\n  await gateway.refund(shipment.chargeId, { idempotencyKey: key });\n",
      ],
    ],
    commit: [60, "One key per shipment"],
    later: [
      [
        20,
        "Audit refunds",
        {
          "src/payments/audit.ts":
            'export const audited = (by: string): void => audit.write("refund", { by });\n',
          "docs/payments.md": "# Payments\n\nAn order is charged once per shipment.\n",
        },
      ],
    ],
  },
];

/** Writes the repository, and the transcripts in `home`. */
export function createPicturedRepository(directory, home, now = Date.now()) {
  const git = (words, at = now, author = "Mara Lind") =>
    execFileSync("git", ["-c", "commit.gpgSign=false", ...words], {
      cwd: directory,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: author,
        GIT_AUTHOR_EMAIL: "someone@example.com",
        GIT_COMMITTER_NAME: author,
        GIT_COMMITTER_EMAIL: "someone@example.com",
        GIT_AUTHOR_DATE: new Date(at).toISOString(),
        GIT_COMMITTER_DATE: new Date(at).toISOString(),
      },
    });
  const write = (path, text) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const commit = (subject, at, author) => {
    git(["add", "--all"], at, author);
    git(["commit", "--quiet", "-m", subject], at, author);
  };
  mkdirSync(directory, { recursive: true });
  mkdirSync(home, { recursive: true });
  git(["init", "--quiet", "--initial-branch=main"]);
  for (const [path, text] of Object.entries({
    "docs/payments.md": "# Payments\n\nAn order is charged once.\n",
    "migrations/0001_start.sql": "CREATE TABLE orders (id text);\n",
    "src/gateway.ts": "export const gateway = {};\n",
    "src/jobs/queue.ts": "export const queue = [];\n",
    "src/payments/charge.ts": start,
    "src/search/rank.ts": "export const rank = (a: number): number => a;\n",
    "package.json": '{ "name": "shop" }\n',
  }))
    write(path, text);
  commit("Start of the shop", now - 400 * day);
  for (const [nth, session] of sessions.entries()) {
    if (nth === 1) git(["checkout", "--quiet", "-b", "capture-key"]);
    const began = now - session.from * minute;
    recordSession(session, began);
    commit(session.commit[1], began + session.commit[0] * minute, "Ada");
    for (const [ago, subject, files] of session.later ?? []) {
      for (const [path, text] of Object.entries(files)) write(path, text);
      commit(subject, now - ago * minute);
    }
  }

  /** Writes a transcript as Claude Code does. */
  function recordSession({ id, asked, steps }, began) {
    const lines = [];
    const add = (type, content, at) => {
      const uuid = `${id}-${lines.length}`;
      const message = { role: type, content, ...(type === "assistant" && { id: `msg-${uuid}` }) };
      const parentUuid = lines.at(-1)?.uuid ?? null;
      const rest = {
        isSidechain: false,
        userType: "external",
        cwd: directory,
        sessionId: id,
        version: "2.0.1",
      };
      lines.push({ parentUuid, ...rest, type, message, uuid, timestamp: new Date(at).toISOString() });
    };
    const use = (name, input, at, content = "ok") => {
      const call = `${id}-call-${lines.length}`;
      add("assistant", [{ type: "tool_use", id: call, name, input }], at);
      add("user", [{ type: "tool_result", tool_use_id: call, content }], at + 2_000);
    };
    add("user", asked, began);
    for (const [kind, after, first, ...rest] of steps) {
      const at = began + after * minute;
      const file = { file_path: join(directory, first) };
      if (kind === "think") add("assistant", [{ type: "thinking", thinking: first }], at);
      else if (kind === "run") use("Bash", { command: first }, at, rest[0]);
      else if (kind === "write") {
        use("Write", { ...file, content: rest[0] }, at);
        write(first, rest[0]);
      } else {
        const before = existsSync(file.file_path) ? readFileSync(file.file_path, "utf8") : "";
        if (!before.includes(rest[0])) throw new Error(`${first} does not contain ${rest[0]}`);
        use("Edit", { ...file, old_string: rest[0], new_string: rest[1] }, at);
        write(
          first,
          before.replace(rest[0], () => rest[1]),
        );
      }
    }
    const path = join(home, "projects", "shop", `${id}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  }
}
