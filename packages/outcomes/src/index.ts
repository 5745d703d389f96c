export { type CommitFacts, judgeCommits } from "./judge-commits.ts";
export { judgeCompletion } from "./judge-completion.ts";
export { outcomeFeeds, outcomeSources } from "./registry.gen.ts";
