import { Problem } from '#libs/platform';

export class LinkInvalid extends Problem {
  constructor() {
    super({
      code: 'link_invalid',
      status: 410,
      detail: 'This link was used before, has expired or is incomplete. Ask for a new one.',
    });
  }
}
