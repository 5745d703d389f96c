/** Response headers that tell a client where it stands. */
export function limitHeaders(bucket, allowed, nowMs) {
  const headers = {
    "x-ratelimit-limit": String(bucket.burst),
    "x-ratelimit-remaining": String(Math.floor(bucket.tokens)),
  };
  if (!allowed) headers["retry-after-ms"] = String(Math.ceil(bucket.waitMs(nowMs)));
  return headers;
}
