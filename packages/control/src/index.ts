export { type Control, type ControlOptions, openControl } from "./open-control.ts";
