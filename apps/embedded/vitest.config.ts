import { defineConfig } from "vitest/config";

// Tests start real servers: one file at a time, and time enough on a busy machine.
export default defineConfig({ test: { fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000 } });
