import type { TransformFailure, TransformOptions, TransformResult } from "esbuild";

/** The time limit. Even the longest allowed cell compiles in a tenth of a second. */
const longestMs = 10_000;

export type Compiler = {
  /** Rejects with esbuild's own failure, which contains locations, or with an error for which `isHopeless` is true. */
  transform(source: string, options: TransformOptions): Promise<TransformResult>;
  close(): Promise<void>;
};

/**
 * esbuild in its own process, for all cells. Deeply nested source can end that process or keep it busy for minutes. It
 * is then restarted, and the other cells it was working on are retried once, one by one.
 */
export function createCompiler(): Compiler {
  // Loaded by the first cell that runs, because most servers never run one.
  let loaded: Promise<typeof import("esbuild")> | undefined;
  let inTurn: Promise<unknown> = Promise.resolve();
  const load = () => {
    loaded ??= import("esbuild");
    return loaded;
  };

  async function attempt(source: string, options: TransformOptions): Promise<TransformResult> {
    const { transform, stop } = await load();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(hopeless), longestMs);
    });
    try {
      return await Promise.race([transform(source, options), late]);
    } catch (thrown) {
      if (namesPlaces(thrown)) throw thrown;
      await stop();
      throw thrown === hopeless ? hopeless : ended;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    transform(source, options) {
      return attempt(source, options).catch((thrown) => {
        if (thrown !== ended) throw thrown;
        const again = inTurn.then(() => attempt(source, options));
        inTurn = again.catch(() => {});
        return again;
      });
    },
    async close() {
      const esbuild = await loaded;
      await esbuild?.stop();
    },
  };
}

const hopeless = new Error("It took too long.");
const ended = new Error("The compiler exited.");

/** The source took too long, or ended the compiler twice. */
export const isHopeless = (thrown: unknown): boolean => thrown === hopeless || thrown === ended;

function namesPlaces(thrown: unknown): thrown is TransformFailure {
  const errors = (thrown as Partial<TransformFailure>).errors;
  return Array.isArray(errors) && errors.length > 0;
}
