import type { Readable } from 'node:stream';

/** What the gateway must know of an owner's answer beside its body. */
export interface OwnerHeaders {
  status: number;
  /** `X-Outcome` and `X-Served-From`; empty without them. */
  outcome: string;
  servedFrom: string;
  /** Digits. */
  age?: string;
  /** `X-Charged-Items`, where the price is per item. */
  chargedItems?: number;
  /** `X-Next-Cursor`, where the answer is a page that another follows. */
  nextCursor?: string;
}

/** An owner's answer. */
export interface OwnerAnswer {
  headers: OwnerHeaders;
  /** A character a byte, as it came; empty when it is a stream. */
  body: string;
  /** What is still coming, of an answer in another form than JSON. */
  stream?: Readable;
}
