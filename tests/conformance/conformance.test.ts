import { expect, onTestFinished, test } from "vitest";
import { createAdmissionPolicy } from "../../src/http/admission/admission-policy.ts";
import { serveEndpoints } from "../../src/http/serve-endpoints.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createMcpEndpoint } from "../../src/mcp/http/mcp-endpoint.ts";
import { createFixtureServer } from "./fixtures/fixture-server.ts";
import { expectedFailures, type Revision, requiredScenarios, runSuite, type SuiteRun } from "./run-suite.ts";

/** Starts our HTTP entry, admission and serving for both eras, with the suite's fixtures behind them. */
async function serveFixtures(): Promise<string> {
  const common = { clock: systemClock, onError: () => {} };
  const service = await serveEndpoints({
    endpoints: [createMcpEndpoint({ factory: createFixtureServer, ...common })],
    policy: createAdmissionPolicy({ auth: "auto", token: "not-needed-on-loopback" }),
    port: 0,
    host: "127.0.0.1",
    ...common,
  });
  onTestFinished(() => service.stop(0));
  return `http://127.0.0.1:${service.port}/mcp`;
}

const passed = ({ checks }: SuiteRun, scenario: string): boolean => {
  const statuses = checks.get(scenario)?.map(({ status }) => status) ?? [];
  return statuses.includes("SUCCESS") && !statuses.includes("FAILURE");
};

test.each<[Revision, number]>([
  ["2025-11-25", 30],
  ["2026-07-28", 37],
])("the server passes every scenario that %s requires, %i in total", async (revision, count) => {
  const required = requiredScenarios(revision);
  expect(required).toHaveLength(count);
  const run = await runSuite(await serveFixtures(), revision);
  expect(run.exitCode, run.report).toBe(0);
  const failed = required.filter((scenario) => !passed(run, scenario));
  expect(failed).toEqual(expectedFailures(revision));
});

test("the suite fails if there is no server", async () => {
  const run = await runSuite("http://127.0.0.1:1/mcp", "2025-11-25");
  expect(run.exitCode).toBe(1);
  expect(requiredScenarios("2025-11-25").filter((scenario) => passed(run, scenario))).toEqual([]);
});
