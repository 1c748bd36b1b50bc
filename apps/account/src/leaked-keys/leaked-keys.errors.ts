import { Problem } from '#libs/platform';

export class ReportRejected extends Problem {
  constructor() {
    super({
      code: 'report_rejected',
      status: 401,
      detail: 'This report was not signed by GitHub. Nothing was changed.',
    });
  }
}
