/** The translations there are. */
import messagesToChat from "./messages-to-chat.ts";
import responsesToChat from "./responses-to-chat.ts";
import type { Translation } from "./translation.ts";

export const TRANSLATIONS: readonly Translation[] = [messagesToChat, responsesToChat];
