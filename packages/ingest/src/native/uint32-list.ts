const INITIAL_NUMBERS = 64;
/** A list that once held more gives its memory back when it is cleared. */
const KEPT_NUMBERS = 1024 * 1024;

/** A growing list of whole numbers up to 2^32. */
export class Uint32List {
  #numbers = new Uint32Array(INITIAL_NUMBERS);
  length = 0;

  at(index: number): number {
    return this.#numbers[index] ?? 0;
  }

  clear(): void {
    this.length = 0;
    if (this.#numbers.length > KEPT_NUMBERS) this.#numbers = new Uint32Array(INITIAL_NUMBERS);
  }

  push(value: number): void {
    if (this.length === this.#numbers.length) {
      const grown = new Uint32Array(this.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.length++] = value;
  }
}
