import { UnknownJobError } from "./errors.js";

/** Jobs and what they need, in the order of their definition. */
export class JobGraph {
  constructor() {
    this.needs = new Map();
  }

  define(job, needs = []) {
    if (this.needs.has(job)) throw new RangeError(`job "${job}" is defined twice`);
    this.needs.set(job, [...new Set(needs)]);
    return this;
  }

  jobs() {
    return [...this.needs.keys()];
  }

  needsOf(job) {
    const needs = this.needs.get(job);
    if (!needs) throw new UnknownJobError(job);
    return needs;
  }

  /** Every needed job must be defined. */
  assertComplete() {
    for (const needs of this.needs.values()) {
      for (const job of needs) this.needsOf(job);
    }
  }
}
