import { keyBindings, showKey } from "../../keys.ts";
import { useObservatory } from "../basics/context.ts";
import { Dialog } from "../basics/dialog.tsx";
import { Icon } from "../basics/icon.tsx";
import { isMac } from "../basics/platform.ts";

const groups = ["Move", "Time", "Look", "Go"] as const;

/** Shows all keys, from the same table that the key listener uses. */
export function KeySheet() {
  const o = useObservatory();
  const { view } = o.route.value;
  const here = keyBindings.filter(({ on }) => on === undefined || on === view);
  return (
    <Dialog label="Keys" kind="sheet-box">
      <header class="sheet-head">
        <h2>Keys</h2>
        <button
          type="button"
          class="ib"
          aria-label="Close"
          onClick={() => {
            o.overlay.value = "none";
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="key-groups" tabIndex={0} role="group" aria-label="All keys">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {here
                .filter((binding) => binding.group === group)
                .map(({ keys, words, command }) => (
                  <div key={command}>
                    <dt>
                      {keys.map((key) => (
                        <kbd key={key}>{showKey(key, isMac())}</kbd>
                      ))}
                    </dt>
                    <dd>{words}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
