/** A job needs one that nobody defined. */
export class UnknownJobError extends Error {
  constructor(job) {
    super(`job "${job}" is not defined`);
    this.name = "UnknownJobError";
    this.job = job;
  }
}
