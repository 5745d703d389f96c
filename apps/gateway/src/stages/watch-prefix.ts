/**
 * Beside the stages: what of the conversation's earlier prompt stayed, for the span of the call. It is found out while the
 * upstream is at work, so nobody waits for it.
 */
import { hash } from "node:crypto";
import { writeBlockKeys } from "@centspan/serving";
import type { SpanAttributes } from "@centspan/telemetry";
import { hashPrefixBlocks, PREFIX_BLOCK_TOKENS } from "@centspan/tokens";
import type { Exchange } from "../exchange.ts";
import type { Held, Said } from "../held.ts";
import { countOversized, describeTools, measurePrompt } from "../prefix/measure-context.ts";
import type { PrefixMemory } from "../prefix/prefix-memory.ts";
import { type Prompt, type PromptLayout, readPrompt } from "../prefix/read-prompt.ts";
import type { RequestFacts } from "../protocols/protocol.ts";

/** Both look at what was said, unless it was looked at before. */
export type PrefixWatch = {
  /** `expires`: the upstream's cache forgets what is not asked for in time. */
  describe(upstream: { cacheExpires: boolean }): SpanAttributes;
  /** The upstream has read the prompt, for the call of this span. */
  keep(spanId: string): void;
};

export type WatchedRequest = Pick<RequestFacts, "model" | "effort"> & { keyId: string };

export function watchPrefix(
  exchange: Exchange,
  said: Held<Said>,
  { model, effort, keyId }: WatchedRequest,
  memory: PrefixMemory,
): PrefixWatch {
  const { layout } = exchange.protocol;
  if (layout === undefined) return { describe: () => ({}), keep: () => undefined };
  let read: { prompt: Prompt; conversation: string } | undefined;
  const readOnce = () => {
    if (read === undefined) {
      const { body, conversation, ...sizes } = said.get();
      const measured = measurePrompt(conversation, sizes);
      const prompt = readPrompt(body.json, layout, model, effort, { ...measured, readPiece: memory.readPiece });
      read = { prompt, conversation: nameConversation(exchange, keyId, prompt) };
    }
    return read;
  };
  return {
    describe({ cacheExpires }) {
      const { prompt, conversation } = readOnce();
      const compared = memory.compare(conversation, prompt, keyId);
      const { conversation: prompted, ...sizes } = said.get();
      const reasons = compared?.reasons.filter((reason) => cacheExpires || reason !== "ttl_passed") ?? [];
      return {
        "centspan.prefix.fingerprint": writeFingerprint(prompt),
        "centspan.prefix.kept": compared === null ? undefined : compared.diverged === null,
        "centspan.prefix.shared_pieces": compared?.sharedPieces,
        "centspan.prefix.known_tokens": compared?.knownTokens,
        "centspan.prefix.before_span_id": compared?.spanId,
        "centspan.prefix.change": compared?.diverged?.change,
        "centspan.prefix.diverged_section": compared?.diverged?.section,
        "centspan.prefix.diverged_path": compared?.diverged ? writePath(compared.diverged, layout, prompt) : undefined,
        "centspan.cache.miss_reasons": reasons.length === 0 ? undefined : reasons,
        ...describeTools(prompted, sizes, compared === null || compared.diverged?.member === "tools"),
        "centspan.context.oversized_tokens": countOversized(prompted, sizes),
        ...describeBlocks(sizes.ids, compared?.knownTokens ?? 0),
      };
    },
    keep(spanId) {
      const { prompt, conversation } = readOnce();
      memory.keep(conversation, prompt, { owner: keyId, spanId });
    },
  };
}

/** The session, where the client names one; else what was said first. Nothing of one key shows in what another one does. */
function nameConversation({ identity }: Exchange, keyId: string, { items }: Prompt): string {
  const first = items.sections.indexOf("history");
  return JSON.stringify([keyId, identity["gen_ai.conversation.id"] ?? items.hashes[first] ?? ""]);
}

/** What a simulation has to know of the prompt: whoever has no blocks has nothing to share. */
function describeBlocks(ids: ArrayLike<number>, knownTokens: number): SpanAttributes {
  const { knownBlocks, keys } = writeBlockKeys(hashPrefixBlocks(ids), Math.floor(knownTokens / PREFIX_BLOCK_TOKENS));
  return keys === "" ? {} : { "centspan.prefix.known_blocks": knownBlocks, "centspan.prefix.block_keys": keys };
}

function writePath(
  { member, index }: { member: "system" | "tools" | "items"; index: number },
  layout: PromptLayout,
  { system }: Prompt,
): string {
  const name = layout[member] ?? member;
  return member === "system" && system.hashes.length < 2 ? name : `${name}[${index}]`;
}

/** Of all pieces, in their order. */
function writeFingerprint({ system, tools, items }: Prompt): string {
  const chain = [system, tools, items].map(({ hashes }) => `${hashes.join(",")};`).join("");
  return hash("sha256", chain).slice(0, 16);
}
