/** Secrets of keys: made here, hashed here, and seen by nobody else than the answer to the request that made one. */
import { createHash, randomBytes } from "node:crypto";
import type { KeyKind } from "@centspan/model";

/** `cs_<kind>_<43 base64url characters>`: 32 random bytes, with the kind readable for people and secret scanners. */
export const createSecret = (kind: KeyKind): string => `cs_${kind}_${randomBytes(32).toString("base64url")}`;

/** Plain SHA-256 is enough: the secret has 256 bits of its own, so there is nothing to guess. */
export const hashSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();

export const hintOf = (secret: string): string => secret.slice(-4);
