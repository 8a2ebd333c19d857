import { count } from "../../kernel/numbers.ts";
import type { RenderContext } from "./render-context.ts";
import { formatAge } from "./times.ts";
import { wrap, wrapFacts } from "./width.ts";
import { oneLine } from "./words.ts";

type ShownSession = {
  id: string;
  title: string;
  description?: string | undefined;
  tags: string[];
  project: string;
  status: string;
  thoughtCount: number;
  branchCount: number;
  updatedAt: string;
};

/** Title, figures and id: how every page about one session begins. */
export function renderSessionHead(
  session: ShownSession,
  { revisions, rejected }: { revisions: number; rejected: number },
  context: RenderContext,
): string[] {
  const { paint, width, now } = context;
  const facts = [
    session.status,
    count(session.thoughtCount, "thought"),
    ...(session.branchCount > 0 ? [count(session.branchCount, "branch")] : []),
    ...(revisions > 0 ? [count(revisions, "revision")] : []),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
    ...(session.project === "_default" ? [] : [session.project]),
    ...session.tags.map((tag) => `#${oneLine(tag)}`),
    formatAge(session.updatedAt, now),
  ];
  return [
    ...wrap(oneLine(session.title), width).map(paint.bold),
    ...wrapFacts(facts, width).map(paint.dim),
    paint.cyan(session.id),
  ];
}
