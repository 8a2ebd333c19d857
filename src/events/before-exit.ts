const atExit = new Set<() => void>();
let isHooked = false;

/** For work that must not be lost where nobody closes what was opened: a crash, or a program that exits by itself. */
export function runBeforeExit(work: () => void): void {
  if (!isHooked) {
    isHooked = true;
    process.on("exit", () => {
      for (const one of atExit) one();
    });
  }
  atExit.add(work);
}

export const notBeforeExit = (work: () => void): void => void atExit.delete(work);
