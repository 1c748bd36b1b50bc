import { Problem } from '#libs/platform';

export class AnchorNotOurs extends Problem {
  constructor() {
    super({
      code: 'anchor_not_ours',
      status: 422,
      detail: 'An anchor of the audit log was not signed by this installation.',
    });
  }
}
