/** Charts as files: pure functions from data to SVG text, for terminals and reports. An entry point without React. */
export * from "./line-chart.ts";
