import type { InputReader, ReadInput, Version } from '#libs/contracts';

/** The path at which an owner is called, built from the parameters of a request. */
export class OwnerPath {
  /** The text before, between and after the path parameters; the last part leads into the query. */
  private readonly parts: string[] = [];
  /** Indexes of the path parameters. */
  private readonly places: number[] = [];

  /** @param template the path in the row, such as `/internal/tlds/{tld}`. */
  constructor(
    template: string,
    version: Version,
    private readonly reader: InputReader,
  ) {
    const pieces = template.split(/\{(\w+)\}/);
    for (const [place, piece] of pieces.entries()) {
      if (place % 2 === 0) this.parts.push(piece);
      else this.places.push(reader.placeOf(piece));
    }
    this.parts[this.parts.length - 1] += `?version=${version}`;
  }

  /** Returns the path in ASCII without spaces and control characters; all other characters of a value are encoded. */
  of(input: ReadInput): string {
    let path = this.parts[0];
    for (let i = 0; i < this.places.length; i++) {
      path += encodeURIComponent(input.texts[this.places[i]]!) + this.parts[i + 1];
    }
    return path + this.reader.queryOf(input);
  }
}
