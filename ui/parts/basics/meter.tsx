/** `value` from 0 to 1; the figure is always beside the bar. */
export const Meter = ({ value, figure, label }: { value: number; figure: string; label: string }) => (
  <span class="mt" title={label}>
    <i style={{ "--v": `${Math.round(Math.min(1, Math.max(0, value)) * 100)}%` }} />
    <span class="num">{figure}</span>
  </span>
);
