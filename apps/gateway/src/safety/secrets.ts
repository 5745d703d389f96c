/** Blocks private keys and provider keys in what a request adds: they would leave the house with the prompt. */
import { defineSafetyPlugin } from "@centspan/model";
import { findSecret } from "@centspan/telemetry/content";

export default defineSafetyPlugin({
  id: "secrets",
  describe: "Private keys and provider keys in a request's new text",
  open: () => async (newText) => {
    const found = findSecret(newText);
    return found === null
      ? { allowed: true, reason: "" }
      : { allowed: false, reason: `holds what looks like a ${found}` };
  },
});
