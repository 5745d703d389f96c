import { parseVersion } from "./semver.js";

const CHANNELS = {
  stable: (version) => version.prerelease.length === 0,
  candidate: (version) => version.prerelease.length === 0 || version.prerelease[0] === "rc",
  edge: () => true,
};

/** The versions a channel may roll out. */
export function filterChannel(versions, channel) {
  const accepts = CHANNELS[channel];
  if (!accepts) throw new RangeError(`unknown channel "${channel}"`);
  return versions.filter((version) => accepts(parseVersion(version)));
}
