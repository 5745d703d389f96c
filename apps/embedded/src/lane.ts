/**
 * A lane is a fixed number of places for running statements and a bounded queue before them. Kinds of work have lanes
 * of their own, so that slow queries can fill theirs without an insert waiting for them.
 */
import { ClickHouseException } from "./exceptions.ts";

export class Lane<Place> {
  readonly #free: Place[];
  readonly #waiting: ((place: Place) => void)[] = [];
  readonly #queueLimit: number;
  #running = 0;

  constructor(places: Place[], queueLimit: number) {
    this.#free = [...places];
    this.#queueLimit = queueLimit;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  async use<Result>(signal: AbortSignal, work: (place: Place) => Promise<Result>): Promise<Result> {
    const place = this.#free.pop() ?? (await this.#wait(signal));
    this.#running += 1;
    try {
      return await work(place);
    } finally {
      this.#running -= 1;
      const next = this.#waiting.shift();
      if (next) next(place);
      else this.#free.push(place);
    }
  }

  #wait(signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted();
    if (this.#waiting.length >= this.#queueLimit) {
      throw new ClickHouseException(
        202,
        "TOO_MANY_SIMULTANEOUS_QUERIES",
        "Too many simultaneous queries; repeat later",
      );
    }
    return new Promise((resolve, reject) => {
      const enter = (place: Place) => {
        signal.removeEventListener("abort", leave);
        resolve(place);
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      this.#waiting.push(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
