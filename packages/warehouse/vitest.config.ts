import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globalSetup: "./src/testing/start-stores.ts", testTimeout: 60_000, hookTimeout: 60_000 },
});
