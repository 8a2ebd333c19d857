import { STATE } from "../../model/beliefs.ts";
import { MARKS } from "../../model/columns.ts";
import { gist } from "../../model/gist.ts";
import { excerptAt } from "../../model/search.ts";
import { CONCLUSION, typeLetter } from "../../model/thought-types.ts";
import { isAside, marksHead, type Scene } from "../scene.ts";

/** Everything a card shows, as plain text. If two faces are equal, the card is not updated. */
export type Face = {
  className: string;
  letter: string;
  isHollow: boolean;
  number: string;
  marks: string;
  hasCritique: boolean;
  before: string;
  match: string;
  after: string;
};

/** Returns the marks in a card's header at the selected moment: `→ 26`, `✕`, `↻ 17`. */
export function marksOf({ columns, beliefs }: Scene, i: number): string {
  const { moment } = beliefs;
  const marks = columns.marks[i] as number;
  const steps = columns.steps[i] as number;
  const revisedBy = columns.revisedBy[i] as number;
  const rejectedBy = columns.rejectedBy[i] as number;
  const revises = columns.revises[i] as number;
  const signs: string[] = [];
  if (marks & MARKS.starred) signs.push("★");
  if (marks & MARKS.commented) signs.push("✎");
  if (steps > 1) signs.push(`+${steps - 1}`);
  else if (marks & MARKS.severalSteps) signs.push("+");
  if (marks & MARKS.damaged) signs.push("≠");
  if (revisedBy >= 0 && revisedBy <= moment) signs.push(`→ ${columns.number[revisedBy]}`);
  else if (rejectedBy >= 0 && rejectedBy <= moment) signs.push("✕");
  if (revises >= 0) signs.push(`↻ ${columns.number[revises]}`);
  return signs.join(" ");
}

function classOf(scene: Scene, i: number, isBig: boolean): string {
  const { columns, beliefs } = scene;
  const state = beliefs.state[i];
  const letter = typeLetter(columns.type[i] as number);
  let name = `tc k-${letter}`;
  if (isBig) name += " big";
  if (state === STATE.later) return `${name} later`;
  if (state === STATE.deadEnd) name += " dead";
  else if (state !== STATE.believed) name += " gone";
  else if (columns.type[i] === CONCLUSION) name += " C";
  if ((columns.marks[i] as number) & MARKS.asked) name += " you";
  if (scene.hits?.has(i)) name += " hit";
  if (isAside(scene, i)) name += " out";
  if (scene.related.has(i)) name += " rel";
  if (i === scene.head && marksHead(scene)) name += " head";
  if (i === scene.selected) name += " sel";
  if ((columns.marks[i] as number) & MARKS.unseen) name += " unseen";
  if (scene.arriving.has(i)) name += " arriving";
  return name;
}

export function faceOf(scene: Scene, i: number, isBig: boolean, toVisible: (text: string) => string): Face {
  const { columns, beliefs, layout } = scene;
  const chain = columns.chains[columns.chain[i] as number];
  if (chain && layout.folded.has(chain.id)) {
    const isConcluded = chain.thoughts.some(
      (thought) => columns.type[thought] === CONCLUSION && beliefs.state[thought] === STATE.believed,
    );
    const isDead = beliefs.deadChain[columns.chain[i] as number] === 1;
    const fate = isDead ? "dead end" : isConcluded ? "concluded" : "open";
    const count = chain.thoughts.length;
    const words = `${count} ${count === 1 ? "thought" : "thoughts"}\n${fate}`;
    const className = `tc fold${i === scene.selected ? " sel" : ""}`;
    return {
      className,
      letter: "›",
      isHollow: false,
      number: toVisible(chain.id),
      marks: "",
      hasCritique: false,
      before: words,
      match: "",
      after: "",
    };
  }
  const words = toVisible(gist(columns.text[i] ?? ""));
  const excerpt = scene.query === "" ? undefined : excerptAt(words, scene.query);
  return {
    className: classOf(scene, i, isBig),
    letter: (columns.marks[i] as number) & MARKS.asked ? "U" : typeLetter(columns.type[i] as number),
    isHollow: beliefs.state[i] !== STATE.believed,
    number: String(columns.number[i]),
    marks: marksOf(scene, i),
    hasCritique: ((columns.marks[i] as number) & MARKS.critique) !== 0,
    before: excerpt?.before ?? words,
    match: excerpt?.match ?? "",
    after: excerpt?.after ?? "",
  };
}
