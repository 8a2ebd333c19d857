import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Slow files start early, so that no worker is still busy with one at the end while the others are idle. */
const longestFirst = [
  "tests/faults/",
  "tests/browser/",
  "tests/catalogue/",
  "tests/docs/",
  "tests/properties/",
  "tests/journeys/",
  "tests/http/",
  "tests/contract/",
  "tests/sqlite/",
  "tests/tree/",
  "tests/cli/",
  "tests/",
];

const rank = ({ moduleId }: TestSpecification): number => {
  const found = longestFirst.findIndex((folder) => moduleId.includes(`/${folder}`));
  return found < 0 ? longestFirst.length : found;
};

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Sorts files that share a process together, because a file with its own process would end the shared one. */
function compare(one: TestSpecification, other: TestSpecification): number {
  return (
    compareText(one.project.name, other.project.name) ||
    rank(one) - rank(other) ||
    compareText(one.moduleId, other.moduleId)
  );
}

export class RunOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort(compare);
  }
}
