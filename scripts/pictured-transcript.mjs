// A session's transcript, for the picture that shows what an agent did between its thoughts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const id = "5a1b0d3e-2222-4333-8444-555555555555";
const cwd = "/home/ada/shop";
const file = (path) => join(cwd, path);
const code = (count, name) =>
  Array.from({ length: count }, (_, n) => `const ${name}${n} = keyOf(order, shipment, ${n});`).join("\n");
const refused =
  "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNot on staging today, the sales team is demoing. Write the migration, I run it tonight.";
const failedRun = [
  "Exit code 1",
  " ❯ refund.test.ts",
  "   × refund › uses the key of its capture",
  '     → expected "88123:2", received "88123"  refund.test.ts:64',
  ...Array.from({ length: 12 }, (_, n) => `       at refund.ts:${31 + n}`),
  "      Tests  2 failed | 29 passed (31)",
].join("\n");
const tests = { command: "npm test -- capture" };

/** The minute, and what the agent did then: a thought, or a call with its duration in minutes and its result. */
const steps = [
  [2, "S2|Q|S1|Which calls reach the gateway without a shipment?"],
  ...Array.from({ length: 9 }, (_, n) => [
    3 + n / 10,
    "Read",
    { file_path: file(`src/jobs/job${n}.ts`) },
    0.05,
  ]),
  [4, "Bash", { command: "git grep -n captureKey" }, 0.2],
  [6, "S3|E|S2|Three: capture, refund and the retry after a timeout. Only capture has the shipment at hand."],
  [7, "S4|P|S3|1. Key from order and shipment 2. Same key in refund 3. A test that splits an order in two"],
  ...["charge", "refund", "retry", "gateway", "index"].map((name, n) => [
    7.5 + n / 5,
    ...["Read", { file_path: file(`src/payments/${name}.ts`) }, 0.1],
  ]),
  [
    9,
    "Edit",
    { file_path: file("src/payments/charge.ts"), old_string: code(3, "a"), new_string: code(14, "b") },
    0.1,
  ],
  [
    10,
    "Edit",
    { file_path: file("src/payments/refund.ts"), old_string: code(2, "a"), new_string: code(9, "c") },
    0.1,
  ],
  [11, "Bash", { command: "npm run migrate -- --env staging" }, 6, refused],
  [18, "Write", { file_path: file("migrations/0088_capture_key.sql"), content: code(21, "m") }, 0.1],
  [19, "Bash", tests, 1.6, failedRun],
  [
    21,
    "Edit",
    { file_path: file("src/payments/refund.ts"), old_string: code(4, "x"), new_string: code(4, "y") },
    0.1,
  ],
  [22, "Bash", tests, 1.6, "      Tests  31 passed (31)\n"],
  [25, "S9|E|S4|31 tests pass, among them one order in two shipments: two captures, two keys, two refunds."],
  [
    ...[26, "Bash", { command: 'git commit -am "Take the capture key from order and shipment"' }, 0.2],
    "[main b41e09c] Take the capture key from order and shipment\n 3 files changed",
  ],
  [27, "Bash", { command: "git push" }, 0.3],
  [30, "S10|C|S9|The key is order and shipment, in capture and in refund."],
];

/** Writes the transcript into a client's home. */
export function writePicturedTranscript(home, now = Date.now()) {
  const lines = [];
  let parent = null;
  const at = (minute) => new Date(now - (32 - minute) * 60_000).toISOString();
  const put = (type, content, minute) => {
    const uuid = `u${lines.length}`;
    const message = { role: type, content };
    if (type === "assistant") Object.assign(message, { id: `msg-${uuid}`, model: "claude-opus-4-5" });
    lines.push({
      ...{ parentUuid: parent, isSidechain: false, cwd, sessionId: id, type, message, uuid },
      timestamp: at(minute),
    });
    parent = uuid;
  };
  put("user", "Make the capture key survive split shipments, as decided.", 0);
  for (const [minute, what, input, took, result = "ok"] of steps) {
    if (input === undefined) {
      put("assistant", [{ type: "thinking", thinking: what }], minute);
      continue;
    }
    const call = `t${lines.length}`;
    const is_error = result === refused || result === failedRun;
    put("assistant", [{ type: "tool_use", id: call, name: what, input }], minute);
    put("user", [{ type: "tool_result", tool_use_id: call, content: result, is_error }], minute + took);
  }
  const folder = join(home, "projects", "-home-ada-shop");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${id}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}
