/** The words of the waterfall alone: what runs in the browser brings no other word of the app along. */
import type { Language } from "@centspan/ui";
import type { Texts } from "#i18n/catalogue";
import { enWaterfall } from "#i18n/en-waterfall";
import { koWaterfall } from "#i18n/ko-waterfall";

export type Words = Texts<typeof enWaterfall>["waterfallWords"];

export const wordsOf = (language: Language): Words => (language === "ko" ? koWaterfall : enWaterfall).waterfallWords;
