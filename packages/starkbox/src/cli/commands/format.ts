// Formats for people: counts, sizes, times and columns.
import type { Paint } from '../../terminal.js';

export interface Style {
  /** Whether a machine reads it. */
  readonly json: boolean;
  readonly paint: Paint;
}

/** @example counted(1, 'block') // 1 block */
export function counted(count: number | bigint, noun: string): string {
  const plural = /(s|sh|ch)$/.test(noun) ? `${noun}es` : `${noun}s`;
  return `${grouped(count)} ${count === 1 || count === 1n ? noun : plural}`;
}

/** Digits in groups of three. */
export function grouped(value: number | bigint): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

export function size(bytes: number): string {
  if (bytes < 10_000) return `${grouped(bytes)} bytes`;
  return bytes < 10_000_000
    ? `${(bytes / 1000).toFixed(0)} kB`
    : `${(bytes / 1_000_000).toFixed(0)} MB`;
}

/** Seconds since 1970 as people write a time. */
export function moment(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime())
    ? `${seconds} s`
    : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Rows with aligned columns. */
export function columns(rows: readonly (readonly string[])[], indent = ''): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    `${indent}${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd(),
  );
}
