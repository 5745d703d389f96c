/** What the host does for this module. A refusal is thrown as an exception there, and ends every call in between. */

export declare function refuse(code: string, problem: string, name: string, number: i32): void;
/** What an attribute's key stands for: see lifted-values.ts. */
export declare function classify(start: usize, bytes: u32): u32;
/** Writes a number as JavaScript does, in at most 32 characters; returns how many. */
export declare function writeDouble(value: f64, to: usize): u32;
/** The place in SIGNALS of the one that this instance reads. */
export declare function signal(): i32;
