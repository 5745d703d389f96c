/**
 * Least-recently-used cache bounded by weight. A doubly linked list with a sentinel keeps the
 * order: sentinel.next is the most recent entry, sentinel.previous the least recent.
 */
export class LruCache {
  constructor({ maxWeight, weigh = () => 1, onEvict = () => {} }) {
    this.maxWeight = maxWeight;
    this.weigh = weigh;
    this.onEvict = onEvict;
    this.entries = new Map();
    this.weight = 0;
    this.sentinel = {};
    this.sentinel.next = this.sentinel;
    this.sentinel.previous = this.sentinel;
  }

  get size() {
    return this.entries.size;
  }

  has(key) {
    return this.entries.has(key);
  }

  get(key) {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.unlink(entry);
    this.linkFirst(entry);
    return entry.value;
  }

  set(key, value) {
    const weight = this.weigh(value);
    const existing = this.entries.get(key);
    if (existing) {
      existing.value = value;
      existing.weight = weight;
    } else {
      const entry = { key, value, weight };
      this.entries.set(key, entry);
      this.linkFirst(entry);
    }
    this.weight += weight;
    this.shrink();
  }

  delete(key) {
    const entry = this.entries.get(key);
    if (!entry) return false;
    this.remove(entry);
    return true;
  }

  /** Keys from the most to the least recent. */
  *keys() {
    for (let entry = this.sentinel.next; entry !== this.sentinel; entry = entry.next) yield entry.key;
  }

  shrink() {
    while (this.weight > this.maxWeight && this.entries.size > 0) {
      const oldest = this.sentinel.previous;
      this.remove(oldest);
      this.onEvict(oldest.key, oldest.value);
    }
  }

  remove(entry) {
    this.entries.delete(entry.key);
    this.unlink(entry);
    this.weight -= entry.weight;
  }

  unlink(entry) {
    entry.previous.next = entry.next;
    entry.next.previous = entry.previous;
  }

  linkFirst(entry) {
    entry.next = this.sentinel.next;
    entry.previous = this.sentinel;
    this.sentinel.next.previous = entry;
    this.sentinel.next = entry;
  }
}
