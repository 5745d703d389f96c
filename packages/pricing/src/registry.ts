// Every rate card of src/cards, sorted by file name; to be written by `npm run generate`. Do not edit by hand.
import anthropic from "./cards/anthropic.ts";
import google from "./cards/google.ts";
import openai from "./cards/openai.ts";
import referenceEngine from "./cards/reference-engine.ts";

export const rateCards = [anthropic, google, openai, referenceEngine];
