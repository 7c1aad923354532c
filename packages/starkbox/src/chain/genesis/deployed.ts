// A contract of the first block.

export interface PredeployedContract {
  readonly address: string;
  readonly classHash: string;
}
