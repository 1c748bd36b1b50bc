/**
 * Starts at most one request per site in each turn of the event loop. Rendering a page takes milliseconds, so all pages
 * that one site requests at the same time would otherwise delay the requests of other sites (S104).
 */
export class SiteTurns {
  /** The waiting requests of each site that has started a request in this turn. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Starts a request at once, or after the earlier requests of its site. */
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
