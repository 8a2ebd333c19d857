import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useObservatory } from "./context.ts";

type Props = { label: string; kind: string; children: ComponentChildren };

/** Shows a modal dialog that traps the focus and returns it when closed. */
export function Dialog({ label, kind, children }: Props) {
  const o = useObservatory();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>("input, button, a[href]");
    (first ?? box.current)?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const close = () => {
    o.overlay.value = "none";
  };
  const keepFocus = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    if (event.key !== "Tab") return;
    const stops = [
      ...(box.current?.querySelectorAll<HTMLElement>("input, button, a[href], [tabindex='0']") ?? []),
    ];
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (document.activeElement !== edge && stops.length > 0) return;
    event.preventDefault();
    (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
  };
  return (
    <div
      class="veil"
      role="presentation"
      onPointerDown={(event) => event.target === event.currentTarget && close()}
    >
      <div
        class={kind}
        ref={box}
        role="dialog"
        aria-modal="true"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={keepFocus}
      >
        {children}
      </div>
    </div>
  );
}
