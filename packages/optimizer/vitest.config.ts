import { defineConfig } from "vitest/config";

// Some tests simulate for seconds, and longer where others use the machine: none of them depends on how long.
export default defineConfig({ test: { testTimeout: 120_000 } });
