/** A problem of this machine that prevents the product from starting, with a remedy. */
export class StartFault extends Error {
  constructor(
    readonly what: string,
    readonly remedy: string,
  ) {
    super(`${what} ${remedy}`);
  }
}
