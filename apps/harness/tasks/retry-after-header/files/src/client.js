import { backoffMs } from "./backoff.js";
import { isRetryable, ProviderError } from "./errors.js";

const DEFAULTS = { retries: 4, baseMs: 200, maxDelayMs: 5_000, maxWaitMs: 30_000 };

/**
 * A client with retries. `send` resolves to `{ status, headers, body }`;
 * header names are lower case.
 */
export function createClient({ send, sleep, random, nowMs }, overrides = {}) {
  const options = { ...DEFAULTS, ...overrides };

  async function call(request) {
    for (let attempt = 0; ; attempt += 1) {
      const response = await send(request);
      if (response.status < 400) return response.body;
      if (!isRetryable(response.status) || attempt >= options.retries) {
        throw new ProviderError(response.status, response.headers, attempt + 1);
      }
      await sleep(backoffMs(attempt, options, random));
    }
  }

  return { call, nowMs };
}
