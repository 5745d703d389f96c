/** Every protocol the gateway serves. Add one: a file beside this one, an import and an entry here. */
import chatCompletions from "./chat-completions.ts";
import embeddings from "./embeddings.ts";
import messages from "./messages.ts";
import type { InferenceProtocol } from "./protocol.ts";
import responses from "./responses.ts";

export const PROTOCOLS: readonly InferenceProtocol[] = [chatCompletions, embeddings, messages, responses];
