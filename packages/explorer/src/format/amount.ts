// Formats of amounts, prices and counts.

const SHOWN_DIGITS = 6;

export interface Unit {
  readonly symbol: string;
  readonly base: string;
  readonly decimals: number;
}

export const STRK: Unit = { symbol: 'STRK', base: 'fri', decimals: 18 };
export const ETH: Unit = { symbol: 'ETH', base: 'wei', decimals: 18 };

export function unitOf(unit: string): Unit {
  return unit === 'WEI' ? ETH : STRK;
}

/** `1234567` → `1,234,567` */
export function grouped(value: bigint | number): string {
  const text = value.toString();
  const sign = text.startsWith('-') ? '−' : '';
  return sign + text.replace(/^-/, '').replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 block`, `1,234 blocks`: a count with its noun, or with its noun and verb. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/**
 * An amount in its unit, with at most six decimals. Nonzero amounts below the last decimal are shown in the
 * base unit.
 */
export function amountText(value: bigint, unit: Unit): string {
  const number = decimals(value, unit.decimals, SHOWN_DIGITS);
  return number === undefined ? `${grouped(value)} ${unit.base}` : `${number} ${unit.symbol}`;
}

/** The same, for a table column whose head names the unit. */
export function columnAmount(value: bigint, unit: Unit): string {
  return (
    decimals(value, unit.decimals, SHOWN_DIGITS, SHOWN_DIGITS) ?? `${grouped(value)} ${unit.base}`
  );
}

/** Whether it is below the last decimal, so that `amountText` has all of it in the base unit. */
export function isInBaseUnit(value: bigint, unit: Unit): boolean {
  return decimals(value, unit.decimals, SHOWN_DIGITS) === undefined;
}

/** An amount with all its decimals: up to the sixth, the rest, and the symbol. */
export interface WholeAmount {
  readonly start: string;
  readonly rest: string;
  readonly symbol: string;
}

export function wholeAmount(value: bigint, { decimals: places, symbol }: Unit): WholeAmount {
  const size = value < 0n ? -value : value;
  const unit = 10n ** BigInt(places);
  const fraction = places === 0 ? '' : (size % unit).toString().padStart(places, '0');
  const digits = fraction.replace(/0+$/, '');
  const shown = digits.slice(0, SHOWN_DIGITS);
  return {
    start: `${value < 0n ? '−' : ''}${grouped(size / unit)}${shown === '' ? '' : `.${shown}`}`,
    rest: digits.slice(SHOWN_DIGITS),
    symbol,
  };
}

/** The exact integer with its base unit. */
export function exactText(value: bigint, unit: Unit): string {
  return `${grouped(value)} ${unit.base}`;
}

function decimals(value: bigint, places: number, most: number, least = 0): string | undefined {
  const size = value < 0n ? -value : value;
  const unit = 10n ** BigInt(places);
  const fraction = (size % unit).toString().padStart(places, '0').slice(0, most);
  if (size !== 0n && size < unit && /^0*$/.test(fraction)) return undefined;
  const digits = fraction.replace(/0+$/, '').padEnd(least, '0');
  return `${value < 0n ? '−' : ''}${grouped(size / unit)}${digits === '' ? '' : `.${digits}`}`;
}

/** A gas price with all significant digits. */
export function priceText(price: bigint, unit: Unit): string {
  const billion = 1_000_000_000n;
  if (price !== 0n && price < 1_000_000n) return `${grouped(price)} ${unit.base}`;
  const fraction = (price % billion).toString().padStart(9, '0').replace(/0+$/, '').padEnd(2, '0');
  return `${grouped(price / billion)}.${fraction} g${unit.base}`;
}

const SHORT_PRICE = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** A gas price with at most four significant digits below 1,000, for charts and changing prices. */
export function shortPriceText(price: bigint, unit: Unit): string {
  if (price !== 0n && price < 1_000_000n) return `${grouped(price)} ${unit.base}`;
  const billions = Number(price) / 1e9;
  const text = billions < 1_000 ? SHORT_PRICE.format(billions) : grouped(Math.round(billions));
  return `${text} g${unit.base}`;
}

/** `+2.08 %`: the change from one price to another; undefined if they are equal. */
export function changeText(before: bigint, after: bigint): string | undefined {
  if (before === after || before === 0n) return undefined;
  const percent = (Number(after - before) / Number(before)) * 100;
  const size = SHORT_PRICE.format(Number(Math.abs(percent).toPrecision(3)));
  return `${percent < 0 ? '−' : '+'}${size} %`;
}

/** `7.9 %`: a share between 0 and 1, with a decimal below 10 %. */
export function percentText(part: number): string {
  const percent = part * 100;
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}

/** Parses a typed amount: `1.5`, `1e18`, `25 fri`, `1,000 STRK`; a number without unit is in `unit`. */
export function readAmount(text: string, unit: Unit): bigint | undefined {
  const match = /^\s*([\d,_]+)(?:\.(\d+))?(?:e(\d{1,3}))?\s*([a-z]*)\s*$/i.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0', suffix = ''] = match;
  const places = scaleOf(suffix.toLowerCase(), unit);
  if (places === undefined) return undefined;
  const shift = places + Number(exponent) - fraction.length;
  const digits = BigInt(whole.replace(/[,_]/g, '') + fraction);
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

function scaleOf(suffix: string, unit: Unit): number | undefined {
  if (suffix === '' || suffix === unit.symbol.toLowerCase()) return unit.decimals;
  if (suffix === unit.base) return 0;
  if (suffix === `g${unit.base}`) return 9;
  return undefined;
}

/** A share as a number between 0 and 1. */
export function share(part: bigint | number, whole: bigint | number): number {
  const all = Number(whole);
  return all === 0 ? 0 : Math.min(1, Number(part) / all);
}

/** A price of gas, in gfri or gwei unless another unit is written. */
export function readGasPrice(text: string, unit: Unit): bigint | undefined {
  return readAmount(/[a-z]\s*$/i.test(text) ? text : `${text} g${unit.base}`, unit);
}
