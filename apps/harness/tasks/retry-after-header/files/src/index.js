export { backoffMs } from "./backoff.js";
export { createClient } from "./client.js";
export { isRetryable, ProviderError } from "./errors.js";
