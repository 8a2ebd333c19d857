import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";

/** Turns system notifications on and off. They are off by default and need the browser's permission. */
export function BellButton() {
  const o = useObservatory();
  const { notify } = o.settings;
  if (!("Notification" in window)) return null;
  const isOn = notify.value && Notification.permission === "granted";
  const toggle = async () => {
    if (isOn) {
      notify.value = false;
      return;
    }
    const leave = await Notification.requestPermission();
    notify.value = leave === "granted";
    o.tell(
      leave === "granted"
        ? {
            title: "Notifications are on",
            words: "You are notified when an agent stops, finishes or contradicts itself.",
            good: true,
          }
        : { title: "Not allowed", words: "The browser blocks notifications from this page." },
    );
  };
  const words = isOn ? "Stop notifying me" : "Notify me when an agent stops, finishes or contradicts itself";
  return (
    <button
      type="button"
      class="ib bell"
      aria-label={words}
      title={words}
      aria-pressed={isOn}
      onClick={() => void toggle()}
    >
      <Icon name="bell" />
    </button>
  );
}
