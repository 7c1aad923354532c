// Failures of an L1.

/** A failure of L1, with a message for the caller. */
export class L1Error extends Error {
  override readonly name = 'L1Error';
  /** Whether the node answered with an error. */
  readonly isAnswer: boolean;
  readonly code: number | undefined;
  /** Whether a smaller range might succeed. */
  readonly isTooMuch: boolean;

  constructor(
    message: string,
    {
      answer,
      isTooMuch = false,
    }: { readonly answer?: { code: number | undefined }; isTooMuch?: boolean } = {},
  ) {
    super(message);
    this.isAnswer = answer !== undefined;
    this.code = answer?.code;
    this.isTooMuch = isTooMuch;
  }
}
