/** Where work was done, from OpenTelemetry's `vcs.*` attributes (semantic conventions 1.45) and our own. */
import type { WorkPlace } from "@centspan/model";

type Attributes = Readonly<Record<string, string>>;

export const placeAttributes: readonly string[] = [
  "vcs.repository.url.full",
  "vcs.repository.name",
  "vcs.owner.name",
  "vcs.provider.name",
  "vcs.ref.head.name",
  "vcs.ref.head.revision",
  "vcs.change.id",
  "centspan.repository",
  "centspan.patch.id",
];

/** Null where nothing is said that an outcome could name. */
export function readPlace(attributes: Attributes): WorkPlace | null {
  const say = (name: string): string => attributes[name] ?? "";
  const repository = readRepository(attributes);
  const change = say("vcs.change.id");
  const mark = say("vcs.provider.name") === "gitlab" ? "!" : "#";
  const commit = say("vcs.ref.head.revision").toLowerCase();
  const place: WorkPlace = {
    repository,
    branch: repository === "" ? "" : say("vcs.ref.head.name").replace(/^refs\/heads\//, ""),
    // A revision may be one of another system than git.
    commit: /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit) ? commit : "",
    pullRequest: change === "" || repository === "" ? "" : `${repository}${mark}${change}`,
    patchId: say("centspan.patch.id"),
  };
  const { branch, pullRequest, patchId } = place;
  return branch || place.commit || pullRequest || patchId ? place : null;
}

/** `owner/name`, as code hosts call it; of GitLab with all groups. */
export function readRepository(attributes: Attributes): string {
  const path = /^(?:[a-z+]+:\/\/(?:[^@/]*@)?[^/]+\/|[^@/:]+@[^:/]+:)(.+?)(?:\.git)?\/?$/.exec(
    attributes["vcs.repository.url.full"] ?? "",
  )?.[1];
  const { "vcs.owner.name": owner, "vcs.repository.name": name } = attributes;
  return path ?? attributes["centspan.repository"] ?? (owner && name ? `${owner}/${name}` : (name ?? ""));
}
