import { InvalidRequest } from '#libs/platform';

/** The maximum number of short pieces. Longer pieces make room for more of them. */
export const SHORT_PIECES_MAX = 2_048;
/** The minimum average length of all other pieces; a full packet is longer. */
const LENGTH_MIN = 256;

export const tooManyPieces = new InvalidRequest([
  {
    field: 'body',
    message: `arrives in too many short chunks; send it with Content-Length, or in chunks of at least ${LENGTH_MIN} bytes`,
  },
]);

/**
 * Counts the pieces in which a body arrives. Node passes each chunk of a chunked body on, even one of a single byte,
 * and keeping and handling it costs hundreds of times as much as its byte (S104).
 */
export class BodyPieces {
  private short = 0;

  /** Counts a piece. @returns whether there are too many short ones, so that reading must stop. */
  areTooMany({ length }: Uint8Array): boolean {
    this.short = Math.max(0, this.short + 1 - length / LENGTH_MIN);
    return this.short > SHORT_PIECES_MAX;
  }
}
