/** Returns how long `work` takes, in milliseconds. */
export async function timeOnce(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Runs `work` repeatedly, one after the other, and times each run. */
export async function timeEach(times: number, work: (n: number) => unknown): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n += 1) taken.push(await timeOnce(() => work(n)));
  return taken;
}

export type Crowd = { perSecond: number; each: number[] };

/** Runs concurrent callers that call again as soon as they are answered, until all calls are made. */
export async function timeCrowd(
  callers: number,
  calls: number,
  work: () => Promise<unknown>,
): Promise<Crowd> {
  const each: number[] = [];
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      each.push(await timeOnce(work));
    }
  };
  const all = await timeOnce(() => Promise.all(Array.from({ length: callers }, caller)));
  return { perSecond: (calls / all) * 1_000, each };
}
