export { Limiter } from "./limiter.js";
export { TokenBucket } from "./token-bucket.js";
