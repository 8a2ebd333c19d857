/** Shows the page's keys at its bottom: `["j k", "next, previous"]`. */
export const Keys = ({ keys }: { keys: readonly (readonly [string, string])[] }) => (
  <div class="key-line" aria-hidden="true">
    {keys.map(([pressed, words]) => (
      <span key={words}>
        {pressed.split(" ").map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
        {words}
      </span>
    ))}
  </div>
);
