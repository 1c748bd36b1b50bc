import type { Readable } from 'node:stream';

/** The parts of an owner's answer that the gateway reads beside its body. */
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

/** Bytes where they were read, between `start` and `end`: until the next read, which overwrites them. */
export interface BytesInPlace {
  bytes: Buffer;
  start: number;
  end: number;
}

/** An owner's answer. */
export interface OwnerAnswer {
  headers: OwnerHeaders;
  /** A character a byte, as it came; empty when it is a stream, or in place. */
  body: string;
  /** In place of `body`, for an answer that is sent before anything else is read; `bodyOf` converts it to text. */
  inPlace?: BytesInPlace;
  /** The rest of an answer in another form than JSON, as it arrives. */
  stream?: Readable;
}

/** The whole body as text, which stays what it is. */
export function bodyOf(answer: OwnerAnswer): string {
  const { inPlace } = answer;
  if (inPlace === undefined) return answer.body;
  answer.inPlace = undefined;
  return (answer.body = inPlace.bytes.toString('latin1', inPlace.start, inPlace.end));
}
