import type { Steps } from "../steps.ts";

/** How many strings or characters to join at once. That takes less than a millisecond. */
const textsAtOnce = 4_096;
const charactersAtOnce = 1_000_000;

/** Like `JSON.stringify(value, null, 2)`, but in short steps, for plain JSON with any number of members. */
export function* printJsonInSteps(value: unknown): Steps<string> {
  return (yield* printJsonInPieces(value)).join("");
}

/** Like `printJsonInSteps`, but does not join the parts, because joining a hundred megabytes also takes time. */
export function* printJsonInPieces(value: unknown): Steps<string[]> {
  const pieces: string[] = [];
  let texts: string[] = [];
  let characters = 0;
  yield* print(value, "\n");
  pieces.push(texts.join(""));
  return pieces;

  function* print(member: unknown, lineEnd: string): Steps<void> {
    if (texts.length >= textsAtOnce || characters >= charactersAtOnce) {
      pieces.push(texts.join(""));
      texts = [];
      characters = 0;
      yield;
    }
    if (typeof member !== "object" || member === null) {
      const text = JSON.stringify(member) ?? "null";
      texts.push(text);
      characters += text.length;
    } else if (Array.isArray(member)) yield* printList(member, lineEnd);
    else yield* printObject(member as Record<string, unknown>, lineEnd);
  }

  function* printList(list: readonly unknown[], lineEnd: string): Steps<void> {
    const inside = `${lineEnd}  `;
    for (let at = 0; at < list.length; at += 1) {
      texts.push(at === 0 ? "[" : ",", inside);
      yield* print(list[at], inside);
    }
    texts.push(list.length === 0 ? "[]" : `${lineEnd}]`);
  }

  function* printObject(fields: Record<string, unknown>, lineEnd: string): Steps<void> {
    const inside = `${lineEnd}  `;
    let isEmpty = true;
    for (const key of Object.keys(fields)) {
      if (fields[key] === undefined) continue;
      texts.push(isEmpty ? "{" : ",", inside, JSON.stringify(key), ": ");
      isEmpty = false;
      yield* print(fields[key], inside);
    }
    texts.push(isEmpty ? "{}" : `${lineEnd}}`);
  }
}
