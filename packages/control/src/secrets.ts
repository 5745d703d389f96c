/** Secrets of keys: made here, hashed here, and seen by nobody else than the answer to the request that made one. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import type { KeyKind } from "@centspan/model";

/** `cs_<kind>_<43 base64url characters>`: 32 random bytes, with the kind readable for people and secret scanners. */
export const createSecret = (kind: KeyKind): string => `cs_${kind}_${randomBytes(32).toString("base64url")}`;

/** Plain SHA-256 is enough: the secret has 256 bits of its own, so there is nothing to guess. */
export const hashSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/**
 * What a code host is given to sign its deliveries with, or to send along: it stands for no more than that, and is made
 * of the hash, so that nothing else need be kept.
 */
export const deriveWebhookSecret = (secretHash: Uint8Array): string =>
  createHmac("sha256", secretHash).update("centspan webhook").digest("hex");

export const hintOf = (secret: string): string => secret.slice(-4);
