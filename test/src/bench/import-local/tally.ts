/** What generated histories come to, kept while they are written: the only truth that an import is compared with. */

export type Tally = {
  calls: number;
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  outputText: number;
  outputReasoning: number;
  turns: number;
  toolRuns: number;
  sessions: number;
  brokenLines: number;
  bytes: number;
  files: number;
};

export const createTally = (): Tally => ({
  calls: 0,
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  outputText: 0,
  outputReasoning: 0,
  turns: 0,
  toolRuns: 0,
  sessions: 0,
  brokenLines: 0,
  bytes: 0,
  files: 0,
});

export const tokensOf = (tally: Tally): number =>
  tally.input + tally.cacheRead + tally.cacheWrite5m + tally.cacheWrite1h + tally.outputText + tally.outputReasoning;
