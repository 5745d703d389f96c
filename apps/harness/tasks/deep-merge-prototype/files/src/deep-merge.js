/** Merging of plain configuration objects. */

export function isPlainObject(value) {
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A new object with `source` over `target`; neither is modified. */
export function deepMerge(target, source) {
  return mergeInto(cloneValue(target), source);
}

function mergeInto(target, source) {
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (isPlainObject(value) && isMergeable(target[key])) {
      mergeInto(target[key], value);
    } else {
      target[key] = cloneValue(value);
    }
  }
  return target;
}

function isMergeable(value) {
  return value !== null && (typeof value === "object" || typeof value === "function") && !Array.isArray(value);
}

function cloneValue(value) {
  if (Array.isArray(value)) return value.map(cloneValue);
  if (isPlainObject(value)) return mergeInto({}, value);
  return value;
}
