/** The provider answered with a status that is not a success. */
export class ProviderError extends Error {
  constructor(status, headers, attempts) {
    super(`provider answered ${status} after ${attempts} attempt(s)`);
    this.name = "ProviderError";
    this.status = status;
    this.headers = headers;
    this.attempts = attempts;
  }
}

const RETRYABLE = new Set([408, 429, 500, 502, 503, 504]);

export function isRetryable(status) {
  return RETRYABLE.has(status);
}
