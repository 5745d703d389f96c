/** Zstandard without compressing: raw blocks in a frame are as valid as any, and need no library. */

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
/** No single segment, no content size, no checksum; a window of 8 MB. */
const HEADER = Buffer.from([0x00, 0x68]);
const MOST_BLOCK_BYTES = 128 * 1024;

export function frameZstd(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [MAGIC, HEADER];
  for (let start = 0; start === 0 || start < bytes.length; start += MOST_BLOCK_BYTES) {
    const block = bytes.subarray(start, start + MOST_BLOCK_BYTES);
    const isLast = start + MOST_BLOCK_BYTES >= bytes.length;
    const head = (block.length << 3) | Number(isLast);
    parts.push(Buffer.from([head & 255, (head >> 8) & 255, (head >> 16) & 255]), block);
  }
  return Buffer.concat(parts);
}
