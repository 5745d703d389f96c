/** Our own delay before retry number `attempt` (0-based): exponential, jittered to [half, full]. */
export function backoffMs(attempt, { baseMs, maxDelayMs }, random) {
  const fullMs = Math.min(maxDelayMs, baseMs * 2 ** attempt);
  return Math.round(fullMs / 2 + (fullMs / 2) * random());
}
