import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: "conformance", include: ["src/conformance/**/*.test.ts"] } },
      { extends: true, test: { name: "ingest", include: ["src/{chaos,fuzz,histories,bench}/**/*.test.ts"] } },
      { extends: true, test: { name: "real-clients", include: ["src/real-clients/**/*.test.ts"] } },
      {
        extends: true,
        test: { name: "clients", include: ["src/clients/**/*.test.ts"], globalSetup: ["src/stack/empty-setup.ts"] },
      },
      {
        extends: true,
        test: { name: "e2e", include: ["src/e2e/**/*.test.ts"], globalSetup: ["src/stack/global-setup.ts"] },
      },
    ],
  },
});
