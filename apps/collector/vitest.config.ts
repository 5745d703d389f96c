import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "./src/testing/start-stores.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    execArgv: ["--import", new URL("./src/testing/read-typescript.mjs", import.meta.url).href],
  },
});
