// Type guards for parsed JSON; their errors name the path.

/** A parsed JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function objectAt(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw new TypeError(`${path} is not an object`);
  return value;
}

export function arrayAt(value: unknown, path: string): readonly unknown[] {
  if (!isArray(value)) throw new TypeError(`${path} is not an array`);
  return value;
}

export function stringAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new TypeError(`${path} is not a string`);
  return value;
}

export function numberAt(value: unknown, path: string): number {
  if (typeof value !== 'number') throw new TypeError(`${path} is not a number`);
  return value;
}
