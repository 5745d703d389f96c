import { filterChannel } from "./channels.js";
import { compareVersions } from "./semver.js";

/** The newest version of a channel, or null when nothing is newer than what runs. */
export function pickRelease(versions, { channel, running }) {
  let newest = null;
  for (const version of filterChannel(versions, channel)) {
    if (newest === null || compareVersions(version, newest) > 0) newest = version;
  }
  if (newest === null || compareVersions(newest, running) <= 0) return null;
  return newest;
}
