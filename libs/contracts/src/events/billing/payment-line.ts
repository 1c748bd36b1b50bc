import { IsIn, IsInt, IsString, IsUUID, Length, Matches, Min } from 'class-validator';
import { OptionalText } from '../../members.js';
import { IsAfter, IsInstant } from '../rules.js';

/** Whole credits, at least one; at most 15 digits, which a double holds exactly. */
const CREDITS = /^[1-9][0-9]{0,14}$/;
/** Millionths of the currency unit. */
export const MICROS = /^[0-9]{1,18}$/;

const PAYMENT_LINE_KINDS = [
  'package',
  'subscription',
  'subscription_upgrade',
  'domainer',
  'rate_limit',
] as const;
export type PaymentLineKind = (typeof PAYMENT_LINE_KINDS)[number];

export class AnyPaymentLine {
  @IsUUID()
  lineId: string;

  @IsIn(PAYMENT_LINE_KINDS)
  kind: PaymentLineKind;

  @IsString()
  @Length(1, 100)
  sku: string;

  @IsInt()
  @Min(1)
  quantity: number;

  /** The amount paid for this line without tax: millionths of the currency unit, decimal string. */
  @Matches(MICROS)
  amountMicros: string;
}

/** Credits bought once. */
export class PackageLine extends AnyPaymentLine {
  @IsIn(['package'])
  override kind: 'package';

  /** Decimal string. */
  @Matches(CREDITS)
  credits: string;

  /** Catalogue tier whose rights the package gives, for example `50K`. */
  @OptionalText()
  @Length(1, 20)
  tier?: string;
}

/** A paid period of a subscription. It never changes; a later period is a separate line. */
export abstract class StretchLine extends AnyPaymentLine {
  @IsUUID()
  subscriptionId: string;

  @IsIn(['month', 'year'])
  interval: 'month' | 'year';

  @IsInstant()
  periodStart: string;

  @IsInstant()
  @IsAfter('from')
  periodEnd: string;

  /**
   * When the line starts to add credits: at the start of its own part of the period, not at the time of the payment.
   */
  @IsInstant()
  @IsAfter('periodStart', { orEqual: true })
  from: string;

  /** Credits per month that this line adds; for an upgrade, new minus old. Decimal string. */
  @Matches(CREDITS)
  monthlyCredits: string;
}

/** A period of an API plan, including a period that is paid again after a lost dispute. */
export class SubscriptionLine extends StretchLine {
  @IsIn(['subscription'])
  override kind: 'subscription';
}

export class SubscriptionUpgradeLine extends StretchLine {
  @IsIn(['subscription_upgrade'])
  override kind: 'subscription_upgrade';
}

/** A period of Domainer: rights only. */
export class DomainerLine extends AnyPaymentLine {
  @IsIn(['domainer'])
  override kind: 'domainer';
}

/** A period of the rate-limit add-on: rights only. */
export class RateLimitLine extends AnyPaymentLine {
  @IsIn(['rate_limit'])
  override kind: 'rate_limit';
}

export const PAYMENT_LINE_CLASSES = {
  package: PackageLine,
  subscription: SubscriptionLine,
  subscription_upgrade: SubscriptionUpgradeLine,
  domainer: DomainerLine,
  rate_limit: RateLimitLine,
} satisfies Record<PaymentLineKind, new () => AnyPaymentLine>;

export type PaymentLine =
  PackageLine | SubscriptionLine | SubscriptionUpgradeLine | DomainerLine | RateLimitLine;
