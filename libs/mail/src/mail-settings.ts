import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, IsUrl, Matches } from 'class-validator';
import { IsEmailAddress } from '#libs/domain-names';
import { Setting } from '#libs/platform';

export const MAIL_FROM_DEFAULT = 'Domain Data Service <no-reply@localhost.localdomain>';

/** A name without an address would be sent without a sender, and servers would refuse each e-mail permanently. */
const SENDER = /^(?:[^<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;

export function MailFrom(): PropertyDecorator {
  const about = 'Sender of every e-mail, `Name <address>`.';
  const message = '$property must be `Name <address>`, or only an address';
  return applyDecorators(
    Setting({ env: 'MAIL_FROM', about }),
    IsString(),
    Matches(SENDER, { message }),
  );
}

export function ContactAddress(): PropertyDecorator {
  const about =
    'E-mail address of the operator, shown on /contact and set as the Reply-To of every e-mail. Unset: replies go to MAIL_FROM.';
  return applyDecorators(
    Setting({ env: 'CONTACT_ADDRESS', about }),
    IsOptional(),
    IsEmailAddress(),
  );
}

export function SmtpUrl(): PropertyDecorator {
  const about =
    'SMTP server for outgoing mail, `smtp://user:password@host:port` or `smtps://…`. With `smtp`, a server on another machine must offer STARTTLS, unless the URL ends with `?requireTLS=false`. Unset: a local mailbox.';
  return applyDecorators(
    Setting({ env: 'SMTP_URL', about, secret: true, isFollowed: true }),
    IsOptional(),
    IsUrl({ require_tld: false, protocols: ['smtp', 'smtps'], require_protocol: true }),
  );
}
