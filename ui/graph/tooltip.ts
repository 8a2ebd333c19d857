export type Tooltip = {
  /** Shows the tooltip beside a point after a delay, or hides it if `text` is undefined. */
  offer(x: number, y: number, text: string | undefined): void;
  hide(): void;
};

const PATIENCE = 350;
const MOST_CHARACTERS = 600;

export function createTooltip(host: HTMLElement): Tooltip {
  const element = document.createElement("div");
  element.className = "graph-tip";
  element.hidden = true;
  element.setAttribute("aria-hidden", "true");
  host.append(element);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function hide(): void {
    clearTimeout(timer);
    timer = undefined;
    element.hidden = true;
  }

  function show(x: number, y: number, text: string): void {
    element.textContent = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text;
    element.hidden = false;
    const left = Math.max(8, Math.min(x + 12, host.clientWidth - element.offsetWidth - 8));
    const below = y + 16;
    const top = below + element.offsetHeight > host.clientHeight - 8 ? y - element.offsetHeight - 10 : below;
    element.style.transform = `translate(${Math.round(left)}px,${Math.round(Math.max(8, top))}px)`;
  }

  return {
    hide,
    offer(x, y, text) {
      hide();
      if (text !== undefined && text !== "") timer = setTimeout(() => show(x, y, text), PATIENCE);
    },
  };
}
