/** A limit on what all requests hold in memory together. A request's share is given back when it is answered. */
import { CentspanError } from "@centspan/base";

export type ByteShare = { add(bytes: number): void; close(): void };
export type ByteBudget = { open(): ByteShare };

const RETRY_AFTER_S = 1;

export function createByteBudget(maxBytes: number): ByteBudget {
  let heldBytes = 0;
  return {
    open() {
      let share = 0;
      return {
        /** Throws `store_unavailable` where it is too much, except for a share that stands alone. */
        add(bytes) {
          if (heldBytes > share && heldBytes + bytes > maxBytes) {
            throw new CentspanError("store_unavailable", `${heldBytes} bytes already wait to be written`, {
              retryAfterS: RETRY_AFTER_S,
            });
          }
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
