/** Names that a request says and that stand on every span of it: long enough for any that is one, whatever the protocol. */
import { z } from "zod";

export const modelName = z.string().min(1).max(256);
export const effortName = z.string().max(64);
