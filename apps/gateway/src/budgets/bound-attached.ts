/** What a request may come to beside its texts and images: token ids, files, sound, and what stands elsewhere and is not known here. */

/** Of parts that are neither text nor an image, in any protocol. */
const ATTACHED = /^(input_)?(file|document|audio|video)(_url)?$/;
/** More than a page of any file, or a second of sound, comes to by its size; of base64. */
const CHARS_A_TOKEN = 4;
/** As much as models read that read the most. */
const LARGEST_CONTEXT_TOKENS = 1_000_000;

/** `items` is the member in which its prompt stands. What it only refers to may fill the context. */
export function boundAttached(json: Readonly<Record<string, unknown>>, items: string, contextTokens: number): number {
  const most = Math.min(contextTokens, LARGEST_CONTEXT_TOKENS);
  if (json.previous_response_id || json.conversation || json.prompt) return most;
  let tokens = 0;
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(visit);
    if (typeof part !== "object" || part === null) return;
    const { type, content, output } = Object(part);
    if (typeof type === "string" && ATTACHED.test(type)) tokens += Math.min(most, boundPart(part, most));
    visit(content);
    visit(output);
  };
  visit(json[items]);
  return tokens + (items === "input" ? countIds(json.input) : 0);
}

/** What is inside counts by its length. */
function boundPart(part: object, most: number): number {
  const text = JSON.stringify(part);
  const isElsewhere = /"(file_id|file_url|url)":"(?!data:)/.test(text.slice(0, 4_096));
  return isElsewhere ? most : Math.ceil(text.length / CHARS_A_TOKEN);
}

/** Embeddings are asked for of texts, or of ids. */
function countIds(input: unknown): number {
  if (!Array.isArray(input)) return 0;
  return input.reduce<number>((sum, each) => sum + (typeof each === "number" ? 1 : countIds(each)), 0);
}
