/** The jobs of a graph in an order in which they can run. */
export function orderJobs(graph) {
  graph.assertComplete();
  const position = new Map(graph.jobs().map((job, index) => [job, index]));
  const missing = new Map();
  const waiting = new Map(graph.jobs().map((job) => [job, []]));
  for (const job of graph.jobs()) {
    missing.set(job, graph.needsOf(job).length);
    for (const needed of graph.needsOf(job)) waiting.get(needed).push(job);
  }
  const ready = graph.jobs().filter((job) => missing.get(job) === 0);
  const ordered = [];
  while (ready.length > 0) {
    ready.sort((a, b) => position.get(a) - position.get(b));
    const job = ready.shift();
    ordered.push(job);
    for (const next of waiting.get(job)) {
      missing.set(next, missing.get(next) - 1);
      if (missing.get(next) === 0) ready.push(next);
    }
  }
  return ordered;
}
