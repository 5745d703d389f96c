// Every dialect of src/dialects, sorted by file name; to be written by `npm run generate`. Do not edit by hand.
import aiSdk from "./dialects/ai-sdk.ts";
import aiSdkLegacy from "./dialects/ai-sdk-legacy.ts";
import claudeCode from "./dialects/claude-code.ts";
import openinference from "./dialects/openinference.ts";
import openllmetry from "./dialects/openllmetry.ts";
import semconv from "./dialects/semconv.ts";
import vllm from "./dialects/vllm.ts";

export const dialects = [aiSdk, aiSdkLegacy, claudeCode, openinference, openllmetry, semconv, vllm];
