/** Accelerators by name, as their makers publish them: dense bf16 arithmetic, no sparsity. Add one: an entry. */
import { CentspanError } from "@centspan/base";

export type Hardware = {
  id: string;
  memoryBytes: number;
  memoryBytesPerS: number;
  bf16FlopPerS: number;
  /** One direction, between the accelerators of one machine. */
  linkBytesPerS: number;
  source: string;
};

const GB = 1e9;
const TB = 1e12;
const TFLOPS = 1e12;

export const HARDWARE: readonly Hardware[] = [
  {
    id: "h100",
    memoryBytes: 80 * GB,
    memoryBytesPerS: 3.35 * TB,
    bf16FlopPerS: 989 * TFLOPS,
    linkBytesPerS: 450 * GB,
    source: "NVIDIA H100 SXM data sheet",
  },
  {
    id: "h200",
    memoryBytes: 141 * GB,
    memoryBytesPerS: 4.8 * TB,
    bf16FlopPerS: 989 * TFLOPS,
    linkBytesPerS: 450 * GB,
    source: "NVIDIA H200 SXM data sheet",
  },
  {
    id: "a100-80gb",
    memoryBytes: 80 * GB,
    memoryBytesPerS: 2.039 * TB,
    bf16FlopPerS: 312 * TFLOPS,
    linkBytesPerS: 300 * GB,
    source: "NVIDIA A100 80 GB SXM data sheet",
  },
  {
    id: "l40s",
    memoryBytes: 48 * GB,
    memoryBytesPerS: 0.864 * TB,
    bf16FlopPerS: 362 * TFLOPS,
    linkBytesPerS: 32 * GB,
    source: "NVIDIA L40S data sheet; link: PCIe 4.0 x16",
  },
  {
    id: "rtx-4090",
    memoryBytes: 24 * GB,
    memoryBytesPerS: 1.008 * TB,
    bf16FlopPerS: 165.2 * TFLOPS,
    linkBytesPerS: 32 * GB,
    source: "NVIDIA Ada GPU architecture paper; link: PCIe 4.0 x16",
  },
];

export function findHardware(id: string): Hardware {
  const found = HARDWARE.find((hardware) => hardware.id === id);
  if (found) return found;
  const known = HARDWARE.map((hardware) => hardware.id).join(", ");
  throw new CentspanError("not_found", `no hardware ${JSON.stringify(id)}; known: ${known}`, { field: "hardware" });
}
