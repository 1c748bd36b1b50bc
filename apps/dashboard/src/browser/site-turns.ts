/**
 * Starts at most one request of a site in each turn of the event loop. A page takes milliseconds to render, so that
 * otherwise every request of others would wait for all pages that a site asks for at the same time (S104).
 */
export class SiteTurns {
  /** The requests that wait, by the sites that have had a request in this turn. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Starts a request at once, or after the earlier ones of its site. */
  begin(site: string, start: () => void): void {
    const others = this.waiting.get(site);
    if (others) return void others.push(start);
    if (this.waiting.size === 0) setImmediate(this.turn);
    this.waiting.set(site, []);
    start();
  }

  private readonly turn = (): void => {
    for (const [site, others] of this.waiting) {
      const start = others.shift();
      if (start) start();
      else this.waiting.delete(site);
    }
    if (this.waiting.size > 0) setImmediate(this.turn);
  };
}
