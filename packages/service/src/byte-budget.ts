/** A limit on what all requests hold in memory together. A request's share is given back when it is answered. */
import type { CentspanError } from "@centspan/base";

export type ByteShare = {
  /** Throws where it is too much, except for a share that stands alone. */
  add(bytes: number): void;
  close(): void;
};
export type ByteBudget = { open(): ByteShare };

/** `refuse` is what is thrown, of how many bytes are held already. */
export function createByteBudget(maxBytes: number, refuse: (heldBytes: number) => CentspanError): ByteBudget {
  let heldBytes = 0;
  return {
    open() {
      let share = 0;
      return {
        add(bytes) {
          if (heldBytes > share && heldBytes + bytes > maxBytes) throw refuse(heldBytes);
          share += bytes;
          heldBytes += bytes;
        },
        close() {
          heldBytes -= share;
          share = 0;
        },
      };
    },
  };
}
