import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Said in package.json too: what the gate adds takes the place of this, and joins that.
    execArgv: ["--import", new URL("./src/testing/read-typescript.mjs", import.meta.url).href],
    globalSetup: "./src/testing/start-stores.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
