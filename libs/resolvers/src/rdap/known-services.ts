/** The most services of which an answer is remembered. */
const SERVICES_MAX = 1_024;

/**
 * Which base URLs lead to an RDAP service. An empty 404 is its "no such object" (RFC 7480 §5.3), but also what a web
 * server says of a path that it does not have.
 */
export class KnownServices {
  private readonly known = new Map<string, boolean>();

  /** Records an answer that only an RDAP service gives. */
  note(url: URL): void {
    this.set(baseOf(url), true);
  }

  /**
   * Whether the base URL of an object's URL has given such an answer; if none is known, its help decides.
   *
   * @param isHelp asks one URL whether it is the help of an RDAP service.
   */
  async isKnown(url: URL, isHelp: (help: URL) => Promise<boolean>): Promise<boolean> {
    const base = baseOf(url);
    const known = this.known.get(base);
    if (known !== undefined) return known;
    const isService = await isHelp(new URL('help', base));
    this.set(base, isService);
    return isService;
  }

  private set(base: string, isService: boolean): void {
    this.known.delete(base);
    this.known.set(base, isService);
    const [oldest] = this.known.keys();
    if (this.known.size > SERVICES_MAX) this.known.delete(oldest);
  }
}

/** The part before the path segments of an object (RFC 9082 §3.1), with a slash at its end. */
function baseOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/(?:domain|ip|autnum)\/.*$/i, '/');
}
