// Globals that browsers and Node share and that the language library does not declare.

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

declare const performance: { now(): number };

declare function setTimeout(work: () => void): unknown;
