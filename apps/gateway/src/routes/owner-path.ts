import type { InputReader, ReadInput, Version } from '#libs/contracts';

export class OwnerPath {
  /** The text before, between and after the path parameters. The last part ends where the query begins. */
  private readonly parts: string[] = [];
  private readonly places: number[] = [];

  /** @param template the path from the operation's row, such as `/internal/tlds/{tld}`. */
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

  /**
   * Returns the path in ASCII without spaces or control characters. All other characters in values are percent-encoded.
   */
  of(input: ReadInput): string {
    let path = this.parts[0];
    for (let i = 0; i < this.places.length; i++) {
      path += encodeURIComponent(input.texts[this.places[i]]!) + this.parts[i + 1];
    }
    return path + this.reader.queryOf(input);
  }
}
