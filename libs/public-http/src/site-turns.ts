interface Waiting {
  answer: { readonly destroyed: boolean };
  start: () => void;
}

/**
 * Starts at most one request per site in each turn of the event loop. Rendering a page takes milliseconds, so all pages
 * that one site requests at the same time would otherwise delay the requests of other sites (S104).
 */
export class SiteTurns {
  private readonly waiting = new Map<string, Waiting[]>();

  /**
   * Starts a request at once, or after the earlier requests of its site. A request whose client has disconnected in the
   * meantime is not started.
   */
  begin(site: string, answer: { readonly destroyed: boolean }, start: () => void): void {
    const others = this.waiting.get(site);
    if (others) return void others.push({ answer, start });
    if (this.waiting.size === 0) setImmediate(this.turn);
    this.waiting.set(site, []);
    start();
  }

  private readonly turn = (): void => {
    for (const [site, others] of this.waiting) {
      let next = others.shift();
      while (next?.answer.destroyed) next = others.shift();
      if (next) next.start();
      else this.waiting.delete(site);
    }
    if (this.waiting.size > 0) setImmediate(this.turn);
  };
}
