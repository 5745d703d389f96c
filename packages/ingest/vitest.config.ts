import { defineConfig } from "vitest/config";

// Property tests take seconds of their own; beside others on a busy machine, more.
export default defineConfig({ test: { testTimeout: 30_000 } });
