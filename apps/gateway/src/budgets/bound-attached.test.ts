import { expect, it } from "vitest";
import { boundAttached } from "./bound-attached.ts";

const page = "A".repeat(4_000_000);
const user = (part: object) => ({ messages: [{ role: "user", content: [{ type: "text", text: page }, part] }] });

it.each<[string, Record<string, unknown>, string, number, number]>([
  [
    "texts and images alone",
    user({ type: "image_url", image_url: { url: `data:image/png;base64,${page}` } }),
    "messages",
    0,
    0,
  ],
  [
    "a file of Messages",
    user({ type: "document", source: { type: "base64", data: page } }),
    "messages",
    1_000_000,
    1_000_000,
  ],
  [
    "sound",
    user({ type: "input_audio", input_audio: { data: "A".repeat(4_000), format: "wav" } }),
    "messages",
    1_000,
    1_100,
  ],
  [
    "a file of Responses",
    { input: [{ role: "user", content: [{ type: "input_file", file_data: "A".repeat(4_000) }] }] },
    "input",
    1_000,
    1_100,
  ],
  [
    "a file that a tool returned",
    {
      messages: [
        {
          content: [
            {
              type: "tool_result",
              content: [{ type: "document", source: { type: "base64", data: "A".repeat(4_000) } }],
            },
          ],
        },
      ],
    },
    "messages",
    1_000,
    1_100,
  ],
  [
    "a file that stands elsewhere",
    { input: [{ content: [{ type: "input_file", file_id: "file-1" }] }] },
    "input",
    1_000_000,
    1_000_000,
  ],
  [
    "a response that stands elsewhere",
    { previous_response_id: "resp_1", input: "and?" },
    "input",
    1_000_000,
    1_000_000,
  ],
  ["token ids", { input: [[1, 2, 3], [4]] }, "input", 4, 4],
  ["token ids of one text", { input: [1, 2, 3] }, "input", 3, 3],
])("of %s", (_what, json, items, least, most) => {
  const bound = boundAttached(json, items, Number.POSITIVE_INFINITY);
  expect(bound).toBeGreaterThanOrEqual(least);
  expect(bound).toBeLessThanOrEqual(most);
});

it("never more of one part than the model reads", () => {
  expect(boundAttached(user({ type: "file", file: { file_data: page } }), "messages", 32_768)).toBe(32_768);
});
