import { Problem } from '#libs/platform';

export class LinkInvalid extends Problem {
  constructor() {
    super({
      code: 'link_invalid',
      status: 410,
      detail: 'This link is incomplete, has expired or was already used. Request a new one.',
    });
  }
}
