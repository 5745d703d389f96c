// Every outcome source of src/sources, sorted by file name; to be written by `npm run generate`. Do not edit by hand.
import junit from "./sources/junit.ts";

export const outcomeSources = [junit];
