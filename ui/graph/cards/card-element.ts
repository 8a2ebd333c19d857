import type { Face } from "./card-face.ts";

/** A card in the page, whose element is reused for other thoughts. */
export type CardElement = {
  readonly element: HTMLElement;
  show(face: Face): void;
  moveTo(x: number, y: number): void;
};

function span(className: string): HTMLSpanElement {
  const element = document.createElement("span");
  element.className = className;
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
const QUOTE =
  "M3 11.5c1.7-.5 2.5-1.8 2.5-3.5H3V4.5h3.5V8c0 2.6-1.2 4.2-3.5 4.6zM9 11.5c1.7-.5 2.5-1.8 2.5-3.5H9V4.5h3.5V8c0 2.6-1.2 4.2-3.5 4.6z";

/** Creates the icon for a critique. */
function quote(): SVGSVGElement {
  const icon = document.createElementNS(SVG, "svg");
  icon.setAttribute("viewBox", "0 0 16 16");
  icon.classList.add("quote");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", QUOTE);
  icon.append(path);
  return icon;
}

export function createCard(): CardElement {
  const element = document.createElement("button");
  element.type = "button";
  element.tabIndex = -1;
  const head = span("h");
  const chip = span("chip s");
  const number = span("num");
  const marks = span("m");
  const words = span("x");
  head.append(chip, number, marks);
  element.append(head, words);
  let shown: Face | undefined;

  return {
    element,
    show(face) {
      const before = shown;
      shown = face;
      if (before?.className !== face.className) {
        element.className = face.className;
        // A thought that does not exist yet at the selected moment is only an outline without text.
        element.ariaHidden = element.classList.contains("later") ? "true" : null;
      }
      if (before?.letter !== face.letter) {
        chip.textContent = face.letter;
      }
      const isFold = face.letter === "›";
      const chipClass = isFold ? "more" : face.isHollow ? "chip s hollow" : "chip s";
      if (chip.className !== chipClass) chip.className = chipClass;
      const numberClass = isFold ? "name" : "num";
      if (number.className !== numberClass) number.className = numberClass;
      if (before?.number !== face.number) number.textContent = face.number;
      if (before?.marks !== face.marks || before.hasCritique !== face.hasCritique)
        marks.replaceChildren(...(face.hasCritique ? [quote(), face.marks] : [face.marks]));
      if (before?.before === face.before && before.match === face.match && before.after === face.after)
        return;
      if (face.match === "") words.textContent = face.before + face.after;
      else {
        const match = document.createElement("mark");
        match.textContent = face.match;
        words.replaceChildren(face.before, match, face.after);
      }
    },
    moveTo(x, y) {
      element.style.transform = `translate(${x}px,${y}px)`;
    },
  };
}
