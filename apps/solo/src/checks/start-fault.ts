/** Something about this machine that keeps the product from starting: what it is, and what to do. */
export class StartFault extends Error {
  constructor(
    readonly what: string,
    readonly remedy: string,
  ) {
    super(`${what} ${remedy}`);
  }
}
