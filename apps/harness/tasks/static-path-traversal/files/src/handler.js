import { mediaTypeOf } from "./media-types.js";
import { resolveAsset } from "./resolve-asset.js";

const PREFIX = "/assets/";

/** A handler for `{ method, url }`; `readFile` resolves to bytes or null. */
export function createHandler({ root, readFile }) {
  return async function handle({ method, url }) {
    if (method !== "GET" && method !== "HEAD") return answer(405);
    const [urlPath] = url.split(/[?#]/, 1);
    if (!urlPath.startsWith(PREFIX)) return answer(404);
    const resolved = resolveAsset(root, urlPath.slice(PREFIX.length - 1));
    if (resolved.status !== 200) return answer(resolved.status);
    const bytes = await readFile(resolved.path);
    if (bytes === null) return answer(404);
    return {
      status: 200,
      headers: { "content-type": mediaTypeOf(resolved.path), "content-length": String(bytes.length) },
      body: method === "HEAD" ? null : bytes,
    };
  };
}

function answer(status) {
  return { status, headers: {}, body: null };
}
