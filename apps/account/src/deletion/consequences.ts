export const CONSEQUENCES = [
  'All API keys are revoked and all sessions end at once. Restoring does not bring keys back; each can be reissued.',
  'Running jobs are cancelled. Monitors and webhooks pause until the account is restored.',
  'Subscriptions are cancelled without a refund: at the end of their period, overdue ones at once. Open checkouts expire, and credits are frozen.',
  'For 90 days a log-in leads to the page that restores the account.',
  'After that, remaining credits are forfeited and personal data is erased; invoices are kept as long as the law requires.',
];
