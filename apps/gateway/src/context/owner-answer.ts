import type { Readable } from 'node:stream';

/** The parts of an owner's answer, besides its body, that the gateway reads. */
export interface OwnerHeaders {
  status: number;
  /** `X-Outcome` and `X-Served-From`; empty if they are missing. */
  outcome: string;
  servedFrom: string;
  /** Digits. */
  age?: string;
  /** `X-Charged-Items`, if the price is per item. */
  chargedItems?: number;
  /** The value of `X-Next-Cursor`, if another page follows. */
  nextCursor?: string;
}

/** Bytes in the read buffer, between `start` and `end`; the next read overwrites them. */
export interface BytesInPlace {
  bytes: Buffer;
  start: number;
  end: number;
}

/** The complete answer of an owner. */
export interface OwnerAnswer {
  headers: OwnerHeaders;
  /** One character per byte, as received; empty for a stream, or if `inPlace` is set. */
  body: string;
  /**
   * The body in the read buffer, instead of `body`, for an answer that is sent before the next read; `bodyOf` converts
   * it to text.
   */
  inPlace?: BytesInPlace;
  /** The rest of an answer in a format other than JSON, as it arrives. */
  stream?: Readable;
}

/** Returns the whole body as text, which stays valid. */
export function bodyOf(answer: OwnerAnswer): string {
  const { inPlace } = answer;
  if (inPlace === undefined) return answer.body;
  answer.inPlace = undefined;
  return (answer.body = inPlace.bytes.toString('latin1', inPlace.start, inPlace.end));
}
