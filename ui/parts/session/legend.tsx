import { FAMILIES, TYPE_NAMES, typeCode } from "../../model/thought-types.ts";
import type { Watching } from "../../state/watching.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { Chip } from "../basics/chip.tsx";

/** Shows groups of types with their counts. The user can show one type alone. */
export function Legend({ watching }: { watching: Watching }) {
  const { ofType } = watching.story.value;
  const only = watching.onlyTypes.value;
  const prose = ofType[typeCode("N")] ?? 0;
  const { columns } = watching.picture.value;
  if (columns.size === 0) return null;
  const families = prose > 0 ? [...FAMILIES, { name: "Prose", types: ["N" as const] }] : FAMILIES;
  return (
    <div class="legend" role="group" aria-label="Filter by type">
      {families.map(({ name, types }) => (
        <div key={name}>
          <span>{name}</span>
          {types.map((letter) => {
            const code = typeCode(letter);
            const isOff = only.size > 0 && !only.has(code);
            const words = `${TYPE_NAMES[letter]}, ${countOf(ofType[code] ?? 0, "thought")}`;
            return (
              <button
                key={letter}
                type="button"
                class={isOff ? "off" : ""}
                aria-pressed={only.has(code)}
                title={words}
                onClick={() => watching.toggleType(code)}
              >
                <Chip type={letter} size="s" />
                <span class="num">{formatCount(ofType[code] ?? 0)}</span>
                <span class="off-screen">{TYPE_NAMES[letter]}</span>
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}
