import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

type Ground = {
  ground?: "holds" | "moved" | "unknown" | undefined;
  ground_moved?: readonly string[] | undefined;
  ground_now?: readonly string[] | undefined;
};

/** States whether the files that a card depends on are unchanged. */
export function GroundLine({ ground, ground_moved: moved = [], ground_now: now = [] }: Ground) {
  if (ground === undefined) return null;
  if (ground === "holds") return <p class="gnd">Its files have not changed.</p>;
  if (ground === "unknown") return <p class="gnd">Cannot check whether its files have changed.</p>;
  return (
    <p class="gnd moved">
      <Icon name="warn" size={13} />
      <span>
        <PlainText text={moved.length === 0 ? "Its files have changed" : `${moved.join(", ")} changed`} />{" "}
        since this was written. {now.length > 0 && <PlainText text={`${now.join(" ")} `} />}Check it before
        you rely on it.
      </span>
    </p>
  );
}
