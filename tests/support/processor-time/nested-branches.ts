const at = "2026-01-01T10:00:00.000Z";

/** Returns an export of a session in which every branch forks from the one before. */
export function nestedBranches(depth: number) {
  const session = {
    id: "6e657374-6564-4000-8000-000000000000",
    title: "Ever deeper",
    tags: [],
    project: "_default",
    status: "active",
    thoughtCount: depth + 1,
    branchCount: depth,
    createdAt: at,
    updatedAt: at,
    lastAccessedAt: at,
  };
  const thought = (thoughtNumber: number, more: object = {}) => ({
    data: {
      ...{ thought: `thought ${thoughtNumber}`, thoughtNumber, totalThoughts: thoughtNumber },
      ...{ nextThoughtNeeded: true, timestamp: at, ...more },
    },
  });
  const fork = (index: number) =>
    thought(index + 2, {
      branchId: `b${index}`,
      branchFromThought: index + 1,
      ...(index > 0 && { branchFromBranch: `b${index - 1}` }),
    });
  const nodes = [thought(1), ...Array.from({ length: depth }, (_, index) => fork(index))];
  return { version: "1.0", session, nodes, exportedAt: at };
}
