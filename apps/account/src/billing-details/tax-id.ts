/**
 * The patterns of tax ids by country, including the prefix, without spaces or punctuation. The EU's patterns are taken
 * from Council Directive 2006/112/EC, as listed by the VIES service. Only the format is checked, because only a tax
 * office knows whether the number exists.
 */
const PATTERNS: Record<string, RegExp> = {
  AT: /^ATU[0-9]{8}$/,
  AU: /^[0-9]{11}$/,
  BE: /^BE[01][0-9]{9}$/,
  BG: /^BG[0-9]{9,10}$/,
  CA: /^[0-9]{9}(RT[0-9]{4})?$/,
  CH: /^CHE[0-9]{9}(MWST|TVA|IVA)?$/,
  CY: /^CY[0-9]{8}[A-Z]$/,
  CZ: /^CZ[0-9]{8,10}$/,
  DE: /^DE[0-9]{9}$/,
  DK: /^DK[0-9]{8}$/,
  EE: /^EE[0-9]{9}$/,
  ES: /^ES[A-Z0-9][0-9]{7}[A-Z0-9]$/,
  FI: /^FI[0-9]{8}$/,
  FR: /^FR[A-HJ-NP-Z0-9]{2}[0-9]{9}$/,
  GB: /^GB([0-9]{9}|[0-9]{12}|GD[0-9]{3}|HA[0-9]{3})$/,
  GR: /^EL[0-9]{9}$/,
  HR: /^HR[0-9]{11}$/,
  HU: /^HU[0-9]{8}$/,
  IE: /^IE([0-9]{7}[A-W][A-I]?|[0-9][A-Z+*][0-9]{5}[A-W])$/,
  IN: /^[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][A-Z0-9]Z[A-Z0-9]$/,
  IT: /^IT[0-9]{11}$/,
  LT: /^LT([0-9]{9}|[0-9]{12})$/,
  LU: /^LU[0-9]{8}$/,
  LV: /^LV[0-9]{11}$/,
  MT: /^MT[0-9]{8}$/,
  NL: /^NL[0-9]{9}B[0-9]{2}$/,
  NO: /^(NO)?[0-9]{9}(MVA)?$/,
  NZ: /^[0-9]{8,9}$/,
  PL: /^PL[0-9]{10}$/,
  PT: /^PT[0-9]{9}$/,
  RO: /^RO[0-9]{2,10}$/,
  SE: /^SE[0-9]{10}01$/,
  SG: /^([0-9]{8,9}[A-Z]|[TSR][0-9]{2}[A-Z]{2}[0-9]{4}[A-Z])$/,
  SI: /^SI[0-9]{8}$/,
  SK: /^SK[0-9]{10}$/,
  US: /^[0-9]{9}$/,
};

/** The format of tax ids in countries without their own pattern: a short string of letters and digits. */
const ANY_COUNTRY = /^[A-Z0-9]{4,20}$/;

/**
 * Returns the tax id in upper case and without separators; undefined if it does not match the country's format (S81).
 */
export function plainTaxId(country: string, text: string): string | undefined {
  const plain = text.toUpperCase().replace(/[ .\-/]/g, '');
  return (PATTERNS[country] ?? ANY_COUNTRY).test(plain) ? plain : undefined;
}
