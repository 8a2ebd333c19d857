import type { ComponentChildren } from "preact";

type Segment<Name extends string> = { name: Name; words: ComponentChildren; title?: string };
type Props<Name extends string> = {
  label: string;
  chosen: Name;
  segments: readonly Segment<Name>[];
  onChoose: (name: Name) => void;
  /** Shown after the segments. */
  children?: ComponentChildren;
};

/** Shows a few choices, one of them selected. */
export const Segments = <Name extends string>({
  label,
  chosen,
  segments,
  onChoose,
  children,
}: Props<Name>) => (
  <div class="seg" role="group" aria-label={label}>
    {segments.map(({ name, words, title }) => (
      <button
        key={name}
        type="button"
        aria-pressed={name === chosen}
        aria-label={title}
        title={title}
        onClick={() => onChoose(name)}
      >
        {words}
      </button>
    ))}
    {children}
  </div>
);
