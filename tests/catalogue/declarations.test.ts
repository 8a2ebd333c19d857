import { expect, test } from "vitest";
import { stages } from "../../src/domain/stages/stages.ts";
import { errorCatalogue } from "../../src/kernel/errors.ts";
import { catalogue } from "../../src/operations/catalogue.ts";
import { createNormaliser, toolName } from "../../src/operations/pipeline/normalise.ts";
import type { Operation } from "../../src/operations/pipeline/operation.ts";
import { forAll } from "../support/for-all.ts";
import { situations } from "../support/situations.ts";

const normalise = createNormaliser(catalogue);

test("the catalogue contains operations", () => {
  expect(catalogue.length).toBeGreaterThanOrEqual(15);
});

const forAllOperations = (check: (operation: Operation) => void) =>
  forAll(catalogue, ({ name }) => name, check);

test("every operation has a wire name, a title and one short summary", () =>
  forAllOperations((operation) => {
    const { name } = operation;
    expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*(?:\.[a-z]+(?:_[a-z]+)*)?$/);
    expect(operation.title).toMatch(/^[A-Z].*[^.]$/);
    expect(operation.title.length).toBeLessThanOrEqual(40);
    expect(operation.summary).toMatch(/^[A-Z].*\.$/);
    expect(operation.summary.length).toBeLessThanOrEqual(200);
  }));

test("every operation opens at a stage that exists", () =>
  forAllOperations((operation) => {
    expect(Object.keys(stages)).toContain(operation.stage);
  }));

test("every operation declares error codes that exist, each once", () =>
  forAllOperations((operation) => {
    for (const code of operation.errors) expect(Object.keys(errorCatalogue)).toContain(code);
    expect(new Set(operation.errors).size).toBe(operation.errors.length);
  }));

test("every operation hides and renames only fields that it has", () =>
  forAllOperations((operation) => {
    const fields = Object.keys(operation.input.shape);
    for (const field of operation.advanced) expect(fields).toContain(field);
    for (const [alias, field] of Object.entries(operation.spellings.aliases)) {
      expect(fields).toContain(field);
      expect(fields).not.toContain(alias);
    }
    for (const envelope of operation.spellings.envelopes) expect(fields).not.toContain(envelope);
  }));

test("every operation shortens and shows as prose only fields that it returns", () =>
  forAllOperations((operation) => {
    const answered = Object.keys(operation.output.shape);
    const { plan } = operation.fit ?? {};
    const { optional = [], list, item, text } = (typeof plan === "function" ? plan({}, {}) : plan) ?? {};
    const lists = [list ?? []].flat().map(({ key }) => key);
    for (const field of [...optional, ...lists, item?.key, text])
      if (field !== undefined) expect(answered).toContain(field);
    if (operation.prose) expect(answered).toContain(operation.prose);
  }));

test("every operation shows at least one example, each in a situation that the tests can prepare", () =>
  forAllOperations((operation) => {
    expect(operation.examples.length).toBeGreaterThan(0);
    for (const { given } of operation.examples)
      if (given !== undefined) expect(Object.keys(situations)).toContain(given);
  }));

test("every operation can be called by its name, its tool name and through the gateway", () =>
  forAllOperations((operation) => {
    const { name } = operation;
    expect(normalise(name, {}).operation).toBe(operation);
    expect(normalise(name.replaceAll(".", "_"), {}).operation).toBe(operation);
    expect(normalise(toolName(name), {}).operation).toBe(operation);
    expect(normalise("thoughtbox_gateway", { operation: name }).operation).toBe(operation);
  }));

test("every situation is used by an example", () => {
  const used = new Set(catalogue.flatMap(({ examples }) => examples.map(({ given }) => given)));
  for (const situation of Object.keys(situations)) expect(used).toContain(situation);
});
