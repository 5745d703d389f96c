export { type Control, openControl } from "./open-control.ts";
