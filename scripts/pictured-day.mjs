// A working day for the pictures of Home and the lists: sessions in three projects, as agents would leave them.
import { createHash } from "node:crypto";

const minute = 60_000;

/**
 * `from` and `to` are the times of the first and last thought, in minutes before now. Unless `isOpen` is set,
 * the last thought closes the session.
 */
const sessions = [
  {
    ...{
      subject: "payments",
      title: "Ship the capture key per shipment",
      project: "shop",
      agent: "claude-code",
    },
    ...{ from: 84, to: 0.1, isOpen: true },
    lines: [
      "S1|Q|Two captures for order 5512: which of them is right?",
      "S2|O|S1|Order 5512 ships in two parts, 40 minutes apart",
      "S3|H|S2|The second part reuses the key of the first",
      "S4|E|S3|Both captures carry the key order:5512",
      "S5|P|S4|Refuse a second capture with the same key",
      "S6|E|S5|200 replayed orders, no second capture",
      "S7|Q|S5|Does the refund path build its own key?",
      "S8|E|S7|refund.ts makes it from the order alone",
      "S9|X|S5|1.8% of orders ship in parts, and their second capture is right",
      "S10|C|S8,S9|One key of order and shipment, in capture and in refund",
      "S11|P|S10|Move both into captureKey and delete the copies",
      "S12|E|S11|All 41 tests of payments pass",
      "S13|R|^S11|The refund job needs the shipment number too, so it reads it from the capture",
    ],
  },
  {
    ...{ subject: "search", title: "Rank search by full text", project: "shop", agent: "codex" },
    ...{ from: 288, to: 0.6, isOpen: true },
    lines: [
      "S1|Q|How often is the product that was bought among the first ten hits?",
      "S2|O|S1|400 real queries of last week, each with the product",
      "S3|E|S2|Today: 0.61",
      "S4|H|S3|BM25 over title and description is enough",
      "S5|E|S4|recall@10 is 0.81",
      "S6|H|S3|Embeddings find what words miss",
      "S7|E|S6|0.83 with 90 ms more per query",
      "S8|C|S5,S7|BM25 first. Vectors only if recall@10 stays under 0.80",
      "S9|C|S5|Title matches need no boost: people type what the title says",
      "S10|P|S8|Try a boost of 1 to 6 anyway, it costs ten minutes",
      "S11|E|S10|0.84 with a boost of 2, 0.85 with 3",
      "S12|E|S11|62% of queries share no word with the title they lead to ⊖ [S9]",
      "S13|O|S12|Two-word queries gain most",
      "S14|E|S13|recall@10 on two words: 0.79 before, 0.86 with boost 3",
    ],
  },
  {
    ...{ subject: "prices", title: "Drop the nightly price cache", project: "infra", agent: "claude-code" },
    ...{ from: 100, to: 18, isOpen: true },
    lines: [
      "S1|Q|Who still reads the nightly price cache?",
      "S2|O|S1|Three services import it, one of them at start only",
      "S3|E|S2|No read in 14 days of traces",
      "S4|H|S3|It hides price changes for up to 24 hours",
      "S5|E|S4|Tuesday's sale began four hours late in the app",
      "S6|C|S3,S5|The cache hides price changes for up to 24 hours, and nothing reads it for speed",
      "S7|P|S6|Delete the job, keep the table for a week",
      "S8|Q|May the price list be up to 60 seconds old during a sale?",
    ],
  },
  {
    ...{
      subject: "incident",
      title: "Orders charged twice since Tuesday's deploy",
      project: "shop",
      agent: "claude-code",
    },
    ...{ from: 292, to: 214 },
    lines: [
      "S1|Q|Why are 37 orders charged twice?",
      "S2|O|S1|All of them after Tuesday 14:10",
      "S3|H|S2|The gateway repeats requests",
      "S4|E|S3|One request per capture in its log ⊖ [S3]",
      "S5|H|S2|The queue hands a job out again",
      "S6|E|S5|Leases end after 5 s, captures take up to 6.2 s",
      "S7|Q|Who may refund without a second approval?",
      "S8|P|S6|A stopgap: a lease of 30 s",
      "S9|C|S6|Enforce once-only at the gateway: key = order and shipment",
    ],
  },
  {
    ...{ subject: "flaky", title: "Flaky test “resumes after reconnect”", project: "notes", agent: "codex" },
    ...{ from: 262, to: 222 },
    lines: [
      "S1|O|Fails one time in nine, only on the small runner",
      "S2|H|S1|The clock jumps",
      "S3|X|S2|It fails with a frozen clock too",
      "S4|H|S1|The test asserts before the second hello arrives",
      "S5|E|S4|Waiting for the message: 500 runs, none fails",
      "S6|C|S5|The test asserts too early. Wait for the second hello, not for 50 ms",
    ],
  },
  {
    ...{ subject: "payments", title: "Second gateway: what breaks", project: "shop", agent: "gemini-cli" },
    ...{ from: 178, to: 131, isOpen: true },
    lines: [
      "S1|Q|What breaks if captures go through a second gateway?",
      "S2|O|S1|Webhooks arrive with other IDs",
      "S3|E|S2|Four handlers look the order up by gateway ID",
      "S4|H|S1|Its keys live shorter than ours",
      "S5|Q|S4|Does the second gateway keep idempotency keys for 24 hours?",
    ],
  },
  {
    ...{ subject: "ci", title: "Move CI to the larger runners", project: "infra", agent: "claude-code" },
    ...{ from: 160, to: 118 },
    lines: [
      "S1|Q|Why does CI take 19 minutes?",
      "S2|O|S1|11 of them are installs",
      "S3|H|S1|Larger runners make it faster",
      "S4|E|S3|17 minutes at twice the price",
      "S5|X|S3|Larger runners: 11 of 19 minutes are installs, and installs do not get faster",
      "S6|P|S2|Cache by lockfile",
      "S7|E|S6|Installs take 40 s from the cache",
      "S8|C|S7|Cache the installs by lockfile: 8 minutes instead of 19",
    ],
  },
  {
    ...{ subject: "rename", title: "Rename Customer to Account", project: "shop", agent: "claude-code" },
    ...{ from: 1_560, to: 1_529 },
    lines: [
      "Rename Customer to Account everywhere, tests first.",
      "I begin with the types, because the compiler then lists what is left.",
      "The types are renamed. 412 places in 61 files remain.",
      "The tests use the new name and fail as expected.",
      "Leave the contract in billing as it is.",
      "The word in `billing/terms.ts` means the contract, so it keeps its name.",
      "All tests pass.",
      "I renamed 410 of 412 places. Two are left on purpose: the contract and the log.",
    ],
  },
  {
    ...{
      subject: "api",
      title: "Rate limits: per key or per tenant?",
      project: "shop",
      agent: "claude-code",
    },
    ...{ from: 1_700, to: 1_683, isOpen: true },
    lines: [
      "S1|Q|Should limits count per key or per tenant?",
      "S2|O|S1|Three tenants use more than 20 keys",
      "S3|H|S2|Per tenant is fairer",
      "S4|E|S3|One batch job would stop a tenant's checkout",
      "S5|H|S4|Per key, with a cap per tenant",
    ],
  },
];

/** Matches the thoughts that the user wrote. */
const asked = /^(?:Rename|Leave) /;

/** Models by agent, as transcripts name them. */
const models = { "claude-code": "claude-opus-4-5", codex: "gpt-5-codex", "gemini-cli": "gemini-3-pro" };

const uuidOf = (text) =>
  createHash("sha256")
    .update(text)
    .digest("hex")
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");

/** Imports the day that ends now. */
export async function importDay(call, now = Date.now()) {
  for (const { title, project, agent, subject, from, to, isOpen = false, lines } of sessions) {
    const at = (index) => {
      // Agents do not think at regular intervals: steps are uneven, and the last one is exact.
      const share = index / (lines.length - 1);
      const uneven = index === lines.length - 1 ? 0 : Math.sin(index * 7.3) * 0.4;
      return new Date(now - minute * (from + (to - from) * (share + uneven / lines.length))).toISOString();
    };
    const last = lines.length - 1;
    const session = {
      ...{ id: uuidOf(title), title, project, thoughtCount: lines.length, branchCount: 0 },
      tags: [subject, `model:${models[agent]}`],
      ...{ status: isOpen ? "active" : "completed", createdAt: at(0), updatedAt: at(last) },
      ...{ lastAccessedAt: at(last), ...(!isOpen && { completedAt: at(last) }) },
    };
    const nodes = lines.map((thought, index) => ({
      data: {
        ...{ thought, thoughtNumber: index + 1, totalThoughts: lines.length },
        agentId: asked.test(thought) ? "user" : agent,
        ...{ nextThoughtNeeded: isOpen || index < last, timestamp: at(index) },
      },
    }));
    await call("session.import", { content: JSON.stringify({ version: "1.0", session, nodes }) });
  }
}
