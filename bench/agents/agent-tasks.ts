import type { AgentTask } from "./agent.ts";
import { debugFlakyTest } from "./debug-flaky-test.ts";
import { handOver } from "./hand-over.ts";
import { planRefactoring } from "./plan-refactoring.ts";

export const agentTasks: readonly AgentTask[] = [debugFlakyTest, planRefactoring, handOver];
