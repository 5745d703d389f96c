import { expect, it } from "vitest";
import { tableToCsv } from "./table-to-csv.ts";

it.each([
  ["plain cells, blanks folded", [["a", " 1 \n 2 "]], "a,1 2\r\n"],
  ["commas and quotes", [["$1,200.00", 'say "hi"']], '"$1,200.00","say ""hi"""\r\n'],
  ["no formulas", [["=1+1", "@x", "+cmd", "-a"]], "'=1+1,'@x,'+cmd,'-a\r\n"],
  ["amounts with a sign as they are", [["+$4", "-2.1%", "−$3"]], "+$4,-2.1%,−$3\r\n"],
])("a table as CSV has %s", (_what, rows, text) => {
  expect(tableToCsv(rows)).toBe(text);
});
