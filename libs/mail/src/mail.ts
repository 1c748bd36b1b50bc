import { isMailAddress } from '#libs/domain-names';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** An e-mail to be sent; attempts to send the same e-mail have the same id. */
export interface OutgoingMail extends Mail {
  id: string;
}

/**
 * The error for an e-mail whose recipient is not one e-mail address, whose subject is empty or contains a control
 * character (S82), or that is too long.
 */
export class UnsafeMail extends Error {}

const SUBJECT_LENGTH_MAX = 200;
const BODY_LENGTH_MAX = 100 * 1024;

/** Checks an e-mail. @throws UnsafeMail, whose message quotes no value. */
export function checkMail(mail: Mail): void {
  if (!isMailAddress(mail.to)) throw new UnsafeMail('the recipient is not one e-mail address');
  if (/\p{Cc}/u.test(mail.subject)) {
    throw new UnsafeMail('the subject contains a control character');
  }
  if (mail.subject === '' || mail.subject.length > SUBJECT_LENGTH_MAX) {
    throw new UnsafeMail(`the subject is empty or longer than ${SUBJECT_LENGTH_MAX} characters`);
  }
  if (mail.text.length > BODY_LENGTH_MAX || mail.html.length > BODY_LENGTH_MAX) {
    throw new UnsafeMail(`the body is longer than ${BODY_LENGTH_MAX} characters`);
  }
}
