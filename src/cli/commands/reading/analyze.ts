import { count } from "../../../kernel/numbers.ts";
import { sessionAnalyze } from "../../../operations/ledger/session/session.ts";
import type { ResultOf } from "../../../operations/pipeline/operation.ts";
import { ask, withStore } from "../../ask.ts";
import type { Command } from "../../command.ts";
import { nameSession } from "../../name-session.ts";
import { renderBar } from "../../rendering/progress.ts";
import type { RenderContext } from "../../rendering/render-context.ts";
import { pad, textWidth, wrap, wrapFacts } from "../../rendering/width.ts";
import { formatDuration, oneLine } from "../../rendering/words.ts";

type Analysis = ResultOf<typeof sessionAnalyze>;

export const analyze: Command = {
  name: "analyze",
  group: "Look",
  summary: "Measure a session: linearity, completeness and revisions.",
  words: ["<session>"],
  details: ["What each figure means: thoughtbox call help topic=session.analyze"],
  examples: [
    { line: "thoughtbox analyze latest", shows: "the newest session" },
    { line: "thoughtbox analyze latest --json", shows: "every figure" },
  ],

  async run({ terminal, words: [word = ""] }) {
    const analysis = await withStore(terminal, async (host) =>
      ask(host, sessionAnalyze, { sessionId: await nameSession(host, word) }),
    );
    return { data: analysis, lines: (context) => renderAnalysis(analysis, context) };
  },
};

type Figure = { name: string; value: string; share?: number; meaning: string };

function renderAnalysis(
  { metadata, structure, quality, completion, cipher, sessionId }: Analysis,
  context: RenderContext,
): string[] {
  const { paint, width } = context;
  const facts = [
    count(metadata.thoughtCount, "thought"),
    count(metadata.branchCount, "branch"),
    count(metadata.revisionCount, "revision"),
    formatDuration(metadata.duration),
  ];
  const yes = (value: boolean) => (value ? "yes" : "no");
  const figures: Figure[] = [
    share("linearity", structure.linearityScore, "forks and revisions lower it"),
    share("completion", completion, "the main line, compared with its estimate"),
    share("revisions", structure.revisionRate, "thoughts that correct another"),
    { name: "density", value: structure.thoughtDensity.toFixed(1), meaning: "thoughts per minute" },
    {
      name: "finished",
      value: yes(quality.isComplete),
      meaning: `the main line's last thought ${quality.isComplete ? "ends the chain" : "expects another one"}`,
    },
    {
      name: "converged",
      value: yes(quality.hasConvergence),
      meaning: describeConvergence(quality.hasConvergence, metadata.branchCount),
    },
    { name: "critiques", value: String(quality.critiqueRequests), meaning: "requested" },
    ...(cipher ? cipherFigures(cipher) : []),
  ];
  return [
    ...wrap(oneLine(metadata.title), width).map(paint.bold),
    ...wrapFacts(facts, width).map(paint.dim),
    paint.cyan(sessionId),
    "",
    ...figures.flatMap((figure) => renderFigure(figure, context)),
  ];
}

function describeConvergence(hasConverged: boolean, branches: number): string {
  if (branches === 0) return "there are no branches";
  return hasConverged
    ? "the main line reached a conclusion after its branches"
    : "the main line reached no conclusion after its branches";
}

function cipherFigures({ rejected, types, edges }: NonNullable<Analysis["cipher"]>): Figure[] {
  const tell = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([kind, times]) => `${times} ${kind.replace("_", " ")}`)
      .join(", ");
  const total = (counts: Record<string, number>) =>
    String(Object.values(counts).reduce((sum, times) => sum + times, 0));
  return [
    { name: "rejected", value: String(rejected), meaning: "rejected thoughts" },
    { name: "steps", value: total(types), meaning: tell(types) },
    ...(Object.keys(edges).length > 0 ? [{ name: "links", value: total(edges), meaning: tell(edges) }] : []),
  ];
}

const share = (name: string, value: number, meaning: string): Figure => ({
  name,
  meaning,
  share: value,
  value: value.toFixed(2),
});

const barWidth = 10;
const narrowestWithBar = 50;

function renderFigure(
  { name, value, share: part, meaning }: Figure,
  { paint, width }: RenderContext,
): string[] {
  const head = `${pad(name, 10)}  ${pad(value, 5)}  `;
  const hasBar = width >= narrowestWithBar;
  const bar = part === undefined ? " ".repeat(barWidth) : renderBar(part, barWidth);
  const indent = textWidth(head) + (hasBar ? barWidth + 2 : 0);
  const [first = "", ...rest] = wrap(meaning, width - indent);
  return [
    `${head}${hasBar ? `${paint.cyan(bar)}  ` : ""}${paint.dim(first)}`,
    ...rest.map((line) => " ".repeat(indent) + paint.dim(line)),
  ];
}
