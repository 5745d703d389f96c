import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: "./src/testing/start-stores.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Said in package.json too: what the gate adds takes the place of this, and joins that.
    execArgv: ["--import", new URL("./src/testing/read-typescript.mjs", import.meta.url).href],
  },
});
