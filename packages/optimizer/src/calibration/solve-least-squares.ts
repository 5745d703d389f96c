/**
 * Coefficients that are not negative and come closest to what was observed (Lawson and Hanson, "Solving least squares
 * problems", 1974, by coordinate descent on the normal equations, which has the same minimum). Columns are scaled, so that
 * features of very different size meet the same tolerance.
 */
import { assert } from "@centspan/base";

const SWEEPS = 5_000;
const TOLERANCE = 1e-12;

/** `rows` of features, each as long as the others; `weights` say how much an observation counts. */
export function solveLeastSquares(
  rows: readonly (readonly number[])[],
  observed: readonly number[],
  weights: readonly number[],
): number[] {
  const width = rows[0]?.length ?? 0;
  assert(rows.length === observed.length && rows.length === weights.length, "a row and a weight for each observation");
  const scales = Array.from({ length: width }, (_, at) => measureColumn(rows, weights, at) || 1);
  const gram = Array.from({ length: width }, () => new Float64Array(width));
  const right = new Float64Array(width);
  for (const [index, row] of rows.entries()) {
    const weight = weights[index] ?? 0;
    for (let a = 0; a < width; a += 1) {
      const x = (row[a] ?? 0) / (scales[a] ?? 1);
      right[a] = (right[a] ?? 0) + weight * x * (observed[index] ?? 0);
      const line = gram[a];
      if (line === undefined) continue;
      for (let b = 0; b < width; b += 1) line[b] = (line[b] ?? 0) + (weight * x * (row[b] ?? 0)) / (scales[b] ?? 1);
    }
  }
  return descend(gram, right).map((value, at) => value / (scales[at] ?? 1));
}

function measureColumn(rows: readonly (readonly number[])[], weights: readonly number[], at: number): number {
  return Math.sqrt(rows.reduce((all, row, index) => all + (weights[index] ?? 0) * (row[at] ?? 0) ** 2, 0));
}

function descend(gram: readonly Float64Array[], right: Float64Array): number[] {
  const x = Array.from(right, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let moved = 0;
    for (const [at, line] of gram.entries()) {
      const own = line[at] ?? 0;
      if (own === 0) continue;
      const rest = x.reduce((sum, value, other) => sum + (other === at ? 0 : value * (line[other] ?? 0)), 0);
      const next = Math.max(0, ((right[at] ?? 0) - rest) / own);
      moved = Math.max(moved, Math.abs(next - (x[at] ?? 0)));
      x[at] = next;
    }
    if (moved < TOLERANCE * Math.max(1, ...x)) break;
  }
  return x;
}
