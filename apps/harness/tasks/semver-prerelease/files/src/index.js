export { filterChannel } from "./channels.js";
export { pickRelease } from "./pick-release.js";
export { compareVersions, parseVersion } from "./semver.js";
