// A contract of the first block.

export interface Deployed {
  readonly address: string;
  readonly classHash: string;
}
