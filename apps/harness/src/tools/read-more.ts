import { open } from "node:fs/promises";
import { CentspanError } from "@centspan/base";
import { z } from "zod";
import { characterStartAfter, characterStartBefore } from "../sandbox/cut-output.ts";
import { errorCode } from "../sandbox/file-error.ts";
import { toPlainText } from "./plain-text.ts";
import { defineTool, keptFileOf } from "./tool.ts";

/** Less than what would be cut again. */
const MAX_BYTES = 32_000;

export default defineTool({
  name: "read_more",
  description: `Reads from an output that was cut, up to ${MAX_BYTES} bytes from where the mark says.`,
  arguments: z.strictObject({
    id: z.string().min(1).describe("Id that stands in the mark of the cut."),
    from: z.int().min(0).describe("First byte to read."),
  }),
  readOnly: true,
  async run({ id, from }, { outputsDir, output }) {
    const file = await open(keptFileOf(outputsDir, id)).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
      throw refuse("id", `nothing was cut of ${JSON.stringify(id)}`);
    });
    try {
      const { size } = await file.stat();
      if (from >= size) throw refuse("from", `is ${from}, but there are ${size} bytes`);
      // One byte more tells whether a character goes on beyond the end.
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, from);
      const end = bytesRead > MAX_BYTES ? characterStartBefore(buffer, MAX_BYTES) : bytesRead;
      const text = buffer.subarray(characterStartAfter(buffer, 0), end).toString("utf8");
      const head = `bytes ${from} to ${from + end} of ${size}`;
      return { output: output.write(`${head}\n${toPlainText({ text, totalBytes: end, truncated: false })}`) };
    } finally {
      await file.close();
    }
  },
});

const refuse = (field: string, why: string) => new CentspanError("invalid_request", `${field}: ${why}`, { field });
