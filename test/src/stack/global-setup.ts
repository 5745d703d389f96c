/** For the end-to-end tests: a stack with the demo's runs, to which no test adds any. */
import type { TestProject } from "vitest/node";
import { startStack } from "./start-stack.ts";

export default (project: TestProject): Promise<() => Promise<void>> => startStack(project, []);
