import { deepMerge, isPlainObject } from "./deep-merge.js";
import { environmentLayer } from "./environment.js";

/** The configuration of one tenant. `file` is the text of its JSON file, or null. */
export function loadConfig({ defaults, file = null, environment = {} }) {
  let config = deepMerge({}, defaults);
  if (file !== null) {
    const layer = JSON.parse(file);
    if (!isPlainObject(layer)) throw new TypeError("the configuration file must hold a JSON object");
    config = deepMerge(config, layer);
  }
  return deepMerge(config, environmentLayer(environment));
}

/** Whether a user may administrate: only when the configuration says so. */
export function isAdministrator(config, user) {
  const entry = config.users?.[user];
  return entry !== undefined && entry.admin === true;
}
