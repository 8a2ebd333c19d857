/** Shows a bar for a `value` from 0 to 1, always with the figure beside it. */
export const Meter = ({ value, figure, label }: { value: number; figure: string; label: string }) => (
  <span class="mt" title={label}>
    <i style={{ "--v": `${Math.round(Math.min(1, Math.max(0, value)) * 100)}%` }} />
    <span class="num">{figure}</span>
  </span>
);
