import { isWellFormed, quote } from "./text.ts";

/** `${path} ${problem}.` reads as a sentence. */
export type HostileJson = { path: string; problem: string };

type Step = string | number;
type Trouble = { steps: Step[]; problem: string };

const deepest = 64;
const prototypeKeys = new Set(["__proto__", "constructor", "prototype"]);

/**
 * The first thing in a JSON value that no store, log or merge should have to meet, or `undefined`.
 * `root` names the value in the path: `args.meta.x[3]`.
 */
export function findHostileJson(value: unknown, root = "args"): HostileJson | undefined {
  const trouble = findTrouble(value, 1);
  return trouble && { path: root + trouble.steps.map(renderStep).join(""), problem: trouble.problem };
}

/** Recursion ends at `deepest`; the path is put together only on the way back from a finding. */
function findTrouble(value: unknown, depth: number): Trouble | undefined {
  if (typeof value === "string" && !isWellFormed(value))
    return here("holds half of a Unicode surrogate pair");
  if (typeof value === "number" && !Number.isFinite(value)) return here("is not a finite number");
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > deepest) return here(`is nested deeper than ${deepest} levels`);
  return Array.isArray(value) ? findInArray(value, depth) : findInObject(value, depth);
}

function findInArray(items: readonly unknown[], depth: number): Trouble | undefined {
  for (const [index, item] of items.entries()) {
    const trouble = findTrouble(item, depth + 1);
    if (trouble) return below(index, trouble);
  }
  return undefined;
}

function findInObject(value: object, depth: number): Trouble | undefined {
  for (const key of Object.keys(value)) {
    const trouble = findInKey(key) ?? findTrouble((value as Record<string, unknown>)[key], depth + 1);
    if (trouble) return below(key, trouble);
  }
  return undefined;
}

function findInKey(key: string): Trouble | undefined {
  if (prototypeKeys.has(key))
    return here("is a key that is refused, because it could reach an object's prototype");
  if (!isWellFormed(key)) return here("is a key with half of a Unicode surrogate pair");
  return undefined;
}

function here(problem: string): Trouble {
  return { steps: [], problem };
}

function below(step: Step, trouble: Trouble): Trouble {
  return { ...trouble, steps: [step, ...trouble.steps] };
}

function renderStep(step: Step): string {
  if (typeof step === "number") return `[${step}]`;
  return /^[A-Za-z_$][\w$]{0,39}$/.test(step) ? `.${step}` : `[${quote(step, 40)}]`;
}
