export { deepMerge } from "./deep-merge.js";
export { environmentLayer } from "./environment.js";
export { isAdministrator, loadConfig } from "./load-config.js";
