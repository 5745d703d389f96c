/** For tests that send telemetry themselves: a stack without the demo's runs. */
import type { TestProject } from "vitest/node";
import { startStack } from "./start-stack.ts";

export default (project: TestProject): Promise<() => Promise<void>> => startStack(project, ["--empty"]);
