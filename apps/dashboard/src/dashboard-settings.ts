import type { Markup } from '#libs/public-http';
import type { Mailbox } from './mailbox/mailbox.js';
import type { OperatorText } from './public-pages/operator-texts.js';

/** The facts of this installation for controllers and guards of the dashboard. */
export abstract class DashboardSettings {
  /** The origin of `BILLING_URL`, the only origin whose browsers are trusted. */
  abstract readonly origin: string;
  /** `BASE_URL`, for the curl lines that pages show. */
  abstract readonly apiUrl: string;
  /** OpenAPI of the dashboard's calls, as JSON. */
  abstract readonly description: string;
  /** Terms, privacy and contact. */
  abstract readonly texts: Readonly<Record<OperatorText, Markup>>;
  /** Set only if mail is not really sent. */
  abstract readonly mailbox?: Mailbox;
  /** Whether lookups go to the registry simulator. */
  abstract readonly isDataSimulated?: boolean;
}
