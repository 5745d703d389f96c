import path from "node:path/posix";

/**
 * Maps the path of a request (still encoded, without query) to a file below `root`.
 * `{ status: 200, path }`, 400 for a path that can't be decoded, 403 for one that leaves the root.
 */
export function resolveAsset(root, urlPath) {
  if (urlPath.includes("..")) return { status: 403 };
  const decoded = decodeURIComponent(urlPath);
  return { status: 200, path: path.join(root, decoded) };
}
