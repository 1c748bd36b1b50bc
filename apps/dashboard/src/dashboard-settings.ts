import type { Markup } from '#libs/public-http';
import type { Mailbox } from './mailbox/mailbox.js';
import type { OperatorText } from './public-pages/operator-texts.js';

export abstract class DashboardSettings {
  /** The origin of `BILLING_URL`. Browsers are trusted only from this origin. */
  abstract readonly origin: string;
  /** The value of `BASE_URL`, for links and commands on pages. */
  abstract readonly apiUrl: string;
  abstract readonly description: Buffer;
  abstract readonly texts: Readonly<Record<OperatorText, Markup>>;
  /** The operator's e-mail address. */
  abstract readonly contactAddress?: string;
  /** The local mailbox; set only if e-mails are not really sent. */
  abstract readonly mailbox?: Mailbox;
  abstract readonly isDataSimulated?: boolean;
}
