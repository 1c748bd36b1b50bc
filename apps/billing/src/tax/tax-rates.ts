import { type Micros, shareOfMoney } from '#libs/platform';

/** 100 % in millionths, the unit of tax rates: 190,000 is 19 %. */
const WHOLE_PPM = 1_000_000n;
/**
 * `DE=19`, `FR=20/0`, `CH=8.1@2027-01-01`: country, percent, percent for businesses, first day (UTC). The 29th of February
 * is no first day, because not every year has it.
 */
export const TAX_RATE =
  /^[A-Z]{2}=\d{1,2}(\.\d{1,4})?(\/\d{1,2}(\.\d{1,4})?)?(@\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8]|(?<!02-)(29|30)|(?<=(0[13578]|1[02])-)31))?$/;

interface CountryRates {
  /** The time from which the rates apply. */
  from: Date;
  consumerPpm: number;
  businessPpm: number;
}

export interface TaxedBuyer {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** The tax id of a business. Account accepts only ids in the format of their country (S81). */
  tax_id?: string;
}

export interface BuyerTax {
  /** The rate, in millionths of the net price. */
  ppm: number;
  /** Whether the buyer is a business that owes the tax (reverse charge). The invoices must say so. */
  isReverseCharge: boolean;
  /** The tax id that determined the tax; null if there was none. */
  judgedBy: string | null;
}

export const NO_TAX: BuyerTax = { ppm: 0, isReverseCharge: false, judgedBy: null };

/**
 * The operator's table of tax rates. If a country has two rates and the rate for businesses is zero, a business of this
 * country owes the tax (reverse charge: Council Directive 2006/112/EC, article 196). Buyers in countries that are not
 * in the table pay no tax, nor does anyone while the table is empty.
 */
export class TaxRates {
  private readonly byCountry: ReadonlyMap<string, CountryRates[]>;

  /** @param rates each in the form of `TAX_RATE`. */
  constructor(rates: readonly string[]) {
    this.byCountry = Map.groupBy(
      rates.map((rate) => ratesOf(rate)).toSorted((a, b) => a.from.getTime() - b.from.getTime()),
      ({ country }) => country,
    );
  }

  /** True if there is no table; then no buyer needs to give a country. */
  get isEmpty(): boolean {
    return this.byCountry.size === 0;
  }

  /** Returns the tax on what is bought at a time, or on a period that begins then. */
  taxOf({ country, tax_id: taxId }: TaxedBuyer, at: Date): BuyerTax {
    const known = this.byCountry.get(country)?.findLast(({ from }) => from <= at);
    const { consumerPpm = 0, businessPpm = 0 } = known ?? {};
    const ppm = taxId === undefined ? consumerPpm : businessPpm;
    const judgedBy = ppm === consumerPpm ? null : (taxId ?? null);
    return { ppm, isReverseCharge: consumerPpm > 0 && ppm === 0, judgedBy };
  }
}

/** Returns the tax on a price without tax, to the nearest cent, half up. */
export function taxOn(netMicros: Micros, ppm: number): Micros {
  return shareOfMoney(netMicros, BigInt(ppm), WHOLE_PPM);
}

/** Returns the tax within an amount that includes it, to the nearest cent, half up; the rest is net. */
export function taxWithin(grossMicros: Micros, ppm: number): Micros {
  return shareOfMoney(grossMicros, BigInt(ppm), WHOLE_PPM + BigInt(ppm));
}

/**
 * Returns the price of a unit including tax. The price is rounded per unit, because processors multiply it by the
 * quantity.
 */
export function withTax(netMicros: Micros, ppm: number): Micros {
  return netMicros + taxOn(netMicros, ppm);
}

/** Formats a rate: `19`, `8.1`. */
export function percentText(ppm: number): string {
  return String(ppm / 10_000);
}

export const taxNameOf = (ppm: number) => `Tax ${percentText(ppm)} %`;

function ratesOf(rate: string): CountryRates & { country: string } {
  const [country = '', percents = '', day] = rate.split(/[=@]/);
  const [consumer = '', business = consumer] = percents.split('/');
  const from = new Date(day ?? 0);
  return { country, from, consumerPpm: ppmOf(consumer), businessPpm: ppmOf(business) };
}

/** Converts a percentage with up to four decimals, without rounding errors. */
function ppmOf(percent: string): number {
  const [whole = '', decimals = ''] = percent.split('.');
  return Number(whole) * 10_000 + Number(decimals.padEnd(4, '0'));
}
