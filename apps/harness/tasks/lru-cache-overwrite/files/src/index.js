export { LruCache } from "./lru.js";
export { normalizeQuery } from "./normalize.js";
export { QueryCache } from "./query-cache.js";
