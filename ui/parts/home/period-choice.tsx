import { useEffect, useRef, useState } from "preact/hooks";
import { isDay, type Period } from "../../state/pages/home.ts";
import { formatDate } from "../../text/time-words.ts";
import { Icon } from "../basics/icon.tsx";
import { Segments } from "../basics/segments.tsx";

const LONGER = [
  { name: "30d", words: "30 days" },
  { name: "90d", words: "90 days" },
] as const satisfies readonly { name: Period; words: string }[];
const A_DATE = "date";

type Props = {
  chosen: Period;
  /** The words for the period since the last visit. Absent if that period is today. */
  visit: string | undefined;
  since: number;
  now: number;
  onChoose: (period: Period) => void;
};

/** Shows the usual periods as segments. Longer periods and the choice of a date are in a list beside them. */
export function PeriodChoice({ chosen, visit, since, now, onChoose }: Props) {
  const [isPicking, setPicking] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isPicking) return;
    field.current?.focus();
    try {
      field.current?.showPicker();
    } catch {
      // The browser opens the picker only after a click or key press. Users can still type a date.
    }
  }, [isPicking]);
  const choose = (period: Period) => {
    setPicking(false);
    onChoose(period);
  };
  const isLonger = isDay(chosen) || LONGER.some(({ name }) => name === chosen);
  return (
    <Segments<Period>
      label="Period"
      chosen={chosen}
      segments={[
        ...(visit === undefined ? [] : [{ name: "visit", words: visit } as const]),
        { name: "today", words: "Today" },
        { name: "7d", words: "7 days" },
      ]}
      onChoose={choose}
    >
      <span class={isLonger ? "longer on" : "longer"}>
        <select
          aria-label="Another period"
          value={isDay(chosen) ? chosen : isPicking ? A_DATE : isLonger ? chosen : ""}
          onChange={({ currentTarget: { value } }) =>
            value === A_DATE ? setPicking(true) : choose(value as Period)
          }
        >
          <option value="" disabled hidden>
            Since…
          </option>
          {LONGER.map(({ name, words }) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
          {isDay(chosen) && <option value={chosen}>Since {formatDate(since, now)}</option>}
          <option value={A_DATE}>{isDay(chosen) ? "Another date…" : "A date…"}</option>
        </select>
        <Icon name="down" size={12} />
        {isPicking && (
          <label class="since-day">
            Since
            <input
              ref={field}
              type="date"
              value={isDay(chosen) ? chosen : ""}
              onChange={({ currentTarget: { value } }) => isDay(value) && onChoose(value)}
              onBlur={({ currentTarget: { value } }) => isDay(value) && setPicking(false)}
              onKeyDown={(event) => {
                if (event.key !== "Escape" && event.key !== "Enter") return;
                event.stopPropagation();
                setPicking(false);
              }}
            />
          </label>
        )}
      </span>
    </Segments>
  );
}
