import { LruCache } from "./lru.js";
import { normalizeQuery } from "./normalize.js";

/** Answers of the search backend, by normalised query. */
export class QueryCache {
  constructor({ backend, maxBytes }) {
    this.backend = backend;
    this.hits = 0;
    this.misses = 0;
    this.cache = new LruCache({ maxWeight: maxBytes, weigh: (answer) => JSON.stringify(answer).length });
  }

  async search(query) {
    const key = normalizeQuery(query);
    const cached = this.cache.get(key);
    if (cached !== undefined) {
      this.hits += 1;
      return cached;
    }
    this.misses += 1;
    return this.refresh(query);
  }

  /** Asks the backend again and replaces what is cached. */
  async refresh(query) {
    const key = normalizeQuery(query);
    const answer = await this.backend(key);
    this.cache.set(key, answer);
    return answer;
  }

  hitRate() {
    const total = this.hits + this.misses;
    return total === 0 ? 0 : this.hits / total;
  }
}
