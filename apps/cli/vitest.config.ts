import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Said in package.json too: what the gate adds takes the place of this, and joins that.
    execArgv: ["--import", new URL("./src/testing/read-typescript.mjs", import.meta.url).href],
    testTimeout: 60_000,
  },
});
