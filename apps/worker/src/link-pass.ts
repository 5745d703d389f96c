/**
 * Ties outcomes to the work that they are of: where spans say that work was done is noted as they come, and a workspace with news
 * is looked at as a whole. Spans and calls of one trace come at different times, so what is new is looked at for a while.
 * Repeating it changes nothing.
 */
import { linkOutcomes, placeAttributes, readPlace } from "@centspan/attribution";
import type { JobStore, OutcomeLinkStore, WorkMark } from "@centspan/model";

export const LINK_JOB = "work-marks";
const MINUTE_NS = 60_000_000_000n;
/** How long what is new is looked at again. */
const SETTLES_NS = 10n * MINUTE_NS;
const DAY_NS = 24n * 60n * MINUTE_NS;
/** How far back outcomes and work are looked at. */
const LINKED_FOR_NS = 90n * DAY_NS;
/** What is older stays as it was decided: it would be decided otherwise once what came before it is not looked at. */
const OPEN_FOR_NS = 45n * DAY_NS;

type LinkStores = { links: OutcomeLinkStore; jobs: JobStore };
/** Null until the stores were asked. */
type LinkState = { seenNs: bigint | null; lookedNs: bigint };

export const createLinkState = (): LinkState => ({ seenNs: null, lookedNs: 0n });

export async function runLinkPass({ links, jobs }: LinkStores, state: LinkState): Promise<void> {
  state.seenNs ??= (await jobs.readJob(LINK_JOB))?.watermarkNs ?? 0n;
  const { sightings, asOfNs } = await links.listSightings(state.seenNs, placeAttributes);
  const marks = new Map<string, WorkMark[]>();
  for (const { workspace, attributes, ...seen } of sightings) {
    const place = readPlace(attributes);
    if (place !== null) marks.set(workspace, [...(marks.get(workspace) ?? []), { ...seen, ...place }]);
  }
  for (const [workspace, ofWorkspace] of marks) await links.insertWorkMarks(workspace, ofWorkspace);
  if (asOfNs > state.seenNs) await jobs.writeJob(LINK_JOB, asOfNs);
  state.seenNs = asOfNs;

  const news = await links.listLinkNews(state.lookedNs);
  for (const workspace of news.workspaces) await linkWorkspace(links, workspace, news.asOfNs);
  state.lookedNs = later(news.asOfNs - SETTLES_NS);
}

async function linkWorkspace(store: OutcomeLinkStore, workspace: string, asOfNs: bigint): Promise<void> {
  const facts = await store.readLinkFacts(workspace, later(asOfNs - LINKED_FOR_NS));
  const { stretches, links } = linkOutcomes(facts);
  const isOpen = ({ atNs }: { atNs: bigint }): boolean => atNs >= asOfNs - OPEN_FOR_NS;
  const tasks = new Set(facts.marks.filter(isOpen).map(({ task }) => task));
  await store.replaceWorkStretches(workspace, stretches, tasks);
  const outcomes = new Set(facts.outcomes.filter(isOpen).map(({ outcomeId }) => outcomeId));
  const news = links.filter(({ outcomeId }) => outcomes.has(outcomeId) || !facts.links.has(outcomeId));
  await store.insertOutcomeLinks(workspace, news);
}

const later = (ns: bigint): bigint => (ns > 0n ? ns : 0n);
