// The arrows of ARCHITECTURE.md, at error level. A room may import only what its row allows.
const workspace = (names) => `^packages/(${names.join("|")})/`;
const allowed = {
  base: [],
  model: ["base"],
  telemetry: ["base"],
  service: ["base", "model"],
  tokens: ["base", "model"],
  dialects: ["base", "model"],
  pricing: ["base", "model"],
  focus: ["base", "model"],
  reconcile: ["base", "model"],
  outcomes: ["base", "model"],
  policies: ["base", "model"],
  // Only the names of the vocabulary: a history is turned into the spans it would have emitted.
  histories: ["base", "model", "telemetry"],
  serving: ["base", "model", "policies"],
  attribution: ["base", "model", "dialects", "pricing"],
  // What it searches over is what the serving core runs.
  optimizer: ["base", "model", "policies", "serving"],
  ingest: ["base", "model", "dialects"],
  // Its schema is made of the columns that blocks bring.
  warehouse: ["base", "model", "ingest"],
  control: ["base", "model"],
  api: [
    "base",
    "model",
    "attribution",
    "dialects",
    "focus",
    "optimizer",
    "outcomes",
    "pricing",
    "reconcile",
    "serving",
  ],
  ui: ["base", "model"],
  // For tests only.
  testing: [],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "unresolvable",
      comment: "apps/web/scripts/start.mjs is copied beside Next's server.js before it runs",
      severity: "error",
      from: { pathNot: "^apps/web/scripts/start\\.mjs$" },
      to: { couldNotResolve: true },
    },
    { name: "package-not-app", severity: "error", from: { path: "^packages/" }, to: { path: "^apps/" } },
    {
      name: "app-not-app",
      severity: "error",
      from: { path: "^apps/([^/]+)/" },
      to: { path: "^apps/", pathNot: "^apps/$1/" },
    },
    ...Object.entries(allowed).map(([room, rooms]) => ({
      name: `arrows-of-${room}`,
      severity: "error",
      from: { path: `^packages/${room}/`, pathNot: "\\.test\\.tsx?$|/testing/" },
      to: { path: "^packages/", pathNot: workspace([room, ...rooms]) },
    })),
    {
      name: "known-room",
      comment: "a new package needs its row in the table above",
      severity: "error",
      from: { path: "^packages/", pathNot: workspace(Object.keys(allowed)) },
      to: {},
    },
    {
      name: "clickhouse-only-in-warehouse",
      severity: "error",
      from: { path: "^(apps|packages)/", pathNot: "^packages/warehouse/|^apps/embedded/" },
      to: { path: "node_modules/@clickhouse/" },
    },
    {
      name: "postgres-only-in-control",
      severity: "error",
      from: { path: "^(apps|packages)/", pathNot: "^packages/control/|^apps/embedded/" },
      to: { path: "node_modules/(pg|drizzle-orm)/" },
    },
    {
      name: "browser-code-stays-light",
      severity: "error",
      from: { path: "^packages/ui/" },
      to: { path: "^node:|node_modules/(undici|pg|fastify)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|\\.next|\\.turbo)/|apps/harness/tasks/|test/real-clients/|next-env\\.d\\.ts" },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "default", "types"] },
  },
};
