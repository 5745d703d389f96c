// For tests only: threads read TypeScript, as the bundler sees to outside of tests. tsx by itself does so for the main one.
import { register } from "tsx/esm/api";

register();
