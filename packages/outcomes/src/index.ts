export { judgeTests, type TestTally } from "./judge-tests.ts";
export { outcomeSources } from "./registry.gen.ts";
