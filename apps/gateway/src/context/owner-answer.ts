import type { Readable } from 'node:stream';

/** The parts of an owner's answer that the gateway reads, without the body. */
export interface OwnerHeaders {
  status: number;
  /** The values of `X-Outcome` and `X-Served-From`; empty if the headers are missing. */
  outcome: string;
  servedFrom: string;
  /** The value of `Age`: digits. */
  age?: string;
  /** The value of `X-Charged-Items`, if the price is per item. */
  chargedItems?: number;
  /** The value of `X-Credits-Max`, if the answer lacks a part that its price includes. */
  creditsMax?: number;
  /** The value of `X-Next-Cursor`, if another page follows. */
  nextCursor?: string;
}

/** The bytes from `start` to `end` of the read buffer, which the next read overwrites. */
export interface BytesInPlace {
  bytes: Buffer;
  start: number;
  end: number;
}

export interface OwnerAnswer {
  headers: OwnerHeaders;
  /** The body with one character per byte, as received; empty for a stream, or if `inPlace` is set. */
  body: string;
  /**
   * The body in the read buffer, instead of `body`, if the answer is sent before the next read. `bodyOf` converts it to
   * a string.
   */
  inPlace?: BytesInPlace;
  /** The body as it arrives, for formats other than JSON. */
  stream?: Readable;
}

/** Returns the whole body as a string, which stays valid after the next read. */
export function bodyOf(answer: OwnerAnswer): string {
  const { inPlace } = answer;
  if (inPlace === undefined) return answer.body;
  answer.inPlace = undefined;
  return (answer.body = inPlace.bytes.toString('latin1', inPlace.start, inPlace.end));
}
