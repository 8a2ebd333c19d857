/** Work that can be interrupted after each step; what it returns is its result. */
export type Steps<Result> = Generator<void, Result>;

export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
