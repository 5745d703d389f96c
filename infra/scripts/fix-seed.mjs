// Loaded into the workers of the gate's tests in CI: property tests draw the same cases each time there, so that the same
// tree gets the same verdict. At a developer's they draw fresh ones.
import fc from "fast-check";

fc.configureGlobal({ seed: 1 });
