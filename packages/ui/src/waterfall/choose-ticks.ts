/** Round tick marks for a time axis and a value axis. Pure geometry. */

const TIME_STEPS_NS: bigint[] = [
  ...Array.from({ length: 10 }, (_, power) => [1n, 2n, 5n].map((factor) => factor * 10n ** BigInt(power))).flat(),
  ...[10n, 15n, 30n, 60n, 120n, 300n, 600n, 900n, 1800n, 3600n, 7200n, 14400n, 43200n, 86400n].map(
    (seconds) => seconds * 1_000_000_000n,
  ),
];

/** Offsets from `fromNs` to `toNs` (both relative to the run's start) at a round step, at most `most` of them. */
export function chooseTimeTicks(fromNs: bigint, toNs: bigint, most: number): bigint[] {
  const length = toNs - fromNs;
  if (length <= 0n) return [fromNs];
  const fits = (step: bigint): boolean => length / step < BigInt(most);
  const last = TIME_STEPS_NS.at(-1) ?? 1n;
  const step = TIME_STEPS_NS.find(fits) ?? (length / last / BigInt(most) + 1n) * last;
  const ticks: bigint[] = [];
  for (let at = ((fromNs + step - 1n) / step) * step; at <= toNs; at += step) ticks.push(at);
  return ticks;
}

/** A round upper end and its ticks from zero: 0, 20, 40, 60 for 57. */
export function chooseValueTicks(max: number, most: number): number[] {
  if (!(max > 0)) return [0];
  const raw = max / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10) * power;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}
