/**
 * A minimum of a function that is only known by asking and not smooth, as a replay's error is: Nelder and Mead's simplex
 * (1965), begun again from its best point with a smaller one each time, until that brings nothing.
 */

export type Minimum = { x: number[]; value: number; evaluations: number };

type Vertex = { x: number[]; value: number };

export type MinimiseOptions = { edges: readonly number[]; evaluationsEach: number };

/** `start` in variables of about equal scale; `edges` are the sizes of the simplices, one after another. */
export function minimise(
  evaluate: (x: number[]) => number,
  start: readonly number[],
  { edges, evaluationsEach }: MinimiseOptions,
): Minimum {
  let evaluations = 0;
  const ask = (x: number[]): Vertex => {
    evaluations += 1;
    return { x, value: evaluate(x) };
  };
  let best = ask([...start]);
  for (const edge of edges) {
    const until = evaluations + evaluationsEach;
    let simplex = [best, ...best.x.map((value, at) => ask(best.x.with(at, value + edge)))].sort(byValue);
    while (evaluations < until) simplex = moveWorst(simplex, ask).sort(byValue);
    best = simplex[0] ?? best;
  }
  return { ...best, evaluations };
}

const byValue = (a: Vertex, b: Vertex): number => a.value - b.value;

/** One move of a sorted simplex: the worst vertex is reflected, stretched or drawn in, or all are drawn to the best. */
function moveWorst(simplex: readonly Vertex[], ask: (x: number[]) => Vertex): Vertex[] {
  const [best] = simplex;
  const worst = simplex.at(-1);
  const second = simplex.at(-2);
  if (best === undefined || worst === undefined || second === undefined) return [...simplex];
  const others = simplex.slice(0, -1);
  const centre = best.x.map((_, at) => others.reduce((sum, { x }) => sum + (x[at] ?? 0), 0) / others.length);
  /** On the line from the worst through the centre; 1 is the reflection. */
  const at = (factor: number): Vertex => ask(centre.map((value, i) => value + factor * (value - (worst.x[i] ?? 0))));
  const reflected = at(1);
  if (reflected.value < best.value) {
    const stretched = at(2);
    return [...others, stretched.value < reflected.value ? stretched : reflected];
  }
  if (reflected.value < second.value) return [...others, reflected];
  const drawn = at(reflected.value < worst.value ? 0.5 : -0.5);
  if (drawn.value < Math.min(reflected.value, worst.value)) return [...others, drawn];
  const halfway = (x: readonly number[]): number[] => x.map((value, i) => ((best.x[i] ?? 0) + value) / 2);
  return [best, ...simplex.slice(1).map(({ x }) => ask(halfway(x)))];
}
