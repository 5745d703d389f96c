/** The translations there are. */
import responsesToChat from "./responses-to-chat.ts";
import type { Translation } from "./translation.ts";

export const TRANSLATIONS: readonly Translation[] = [responsesToChat];
