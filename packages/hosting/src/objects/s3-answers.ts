// Answers of the API of S3: the members that we need of its XML, and its errors as sentences.

export interface Refusal {
  readonly status: number;
  /** As `NoSuchKey`; empty for an answer that is not the API's. */
  readonly code: string;
  readonly message: string;
}

export function refusalFrom(status: number, body: string): Refusal {
  return {
    status,
    code: textOf('Code', body) ?? '',
    message: textOf('Message', body) ?? '',
  };
}

export interface KeyPage {
  /** In their order. */
  readonly keys: readonly string[];
  readonly isLast: boolean;
}

/** The answer of ListObjectsV2 with `encoding-type=url`; undefined for something else. */
export function keyPageFrom(body: string): KeyPage | undefined {
  if (!body.includes('<ListBucketResult')) return undefined;
  const objects = [...body.matchAll(/<Contents>(.*?)<\/Contents>/gs)];
  return {
    keys: objects.map(([, object = '']) =>
      decodeURIComponent((textOf('Key', object) ?? '').replaceAll('+', ' ')),
    ),
    isLast: textOf('IsTruncated', body) !== 'true',
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function textOf(element: string, xml: string): string | undefined {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? [];
  return text?.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[String(name)] ?? whole;
  });
}

/** What a user can do about a refusal. */
export function adviceFor({ status, code }: Refusal, bucket: string): string {
  switch (code) {
    case 'NoSuchBucket':
      return `Create the bucket ${bucket}, or name another one`;
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'ExpiredToken':
    case 'InvalidToken':
      return 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN';
    case 'RequestTimeTooSkewed':
      return 'Set the clock of this machine';
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
      return 'Name the region of the bucket with "?region=" in the address of the store';
    case 'NotImplemented':
      return 'Use a store with conditional writes: S3, R2, MinIO or Ceph';
  }
  if (status === 401 || status === 403) {
    return `The credentials need the permissions s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket on ${bucket}`;
  }
  if (status >= 300 && status < 400)
    return 'Give the address to which it redirects as "?endpoint="';
  return 'Check the address of the store and its endpoint';
}
