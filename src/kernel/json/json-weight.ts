/** Whether a JSON value holds more values, or more text, than that; looks no further than to the first too much. */
export function isHeavier(value: unknown, max: { values: number; characters: number }): boolean {
  const waiting = [value];
  let values = 1;
  let characters = 0;
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one === "string") characters += one.length;
    else if (typeof one === "object" && one !== null) {
      const members = Array.isArray(one) ? one : Object.values(one);
      values += members.length;
      if (values > max.values) return true;
      if (!Array.isArray(one)) for (const key of Object.keys(one)) characters += key.length;
      for (const member of members) waiting.push(member);
    }
    if (characters > max.characters) return true;
  }
  return false;
}
