export { createHandler } from "./handler.js";
export { mediaTypeOf } from "./media-types.js";
export { resolveAsset } from "./resolve-asset.js";
