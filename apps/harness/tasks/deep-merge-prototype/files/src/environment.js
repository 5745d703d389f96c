const PREFIX = "APP__";

/** The layer that environment variables describe: `APP__DB__HOST=x` is `{ db: { host: "x" } }`. */
export function environmentLayer(environment) {
  const layer = Object.create(null);
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = name.slice(PREFIX.length).toLowerCase().split("__");
    const last = path.pop();
    let section = layer;
    for (const key of path) {
      section[key] ??= Object.create(null);
      section = section[key];
    }
    section[last] = value;
  }
  return layer;
}
