/** What the gateway must know of an owner's answer beside its body. */
export interface AnswerFacts {
  status: number;
  /** `X-Outcome` and `X-Served-From`; empty without them. */
  outcome: string;
  servedFrom: string;
  /** Digits. */
  age?: string;
  /** `X-Charged-Items`, where the price is per item. */
  chargedItems?: number;
}

/** A whole answer of an owner. */
export interface OwnerAnswer {
  head: AnswerFacts;
  /** A character a byte, as it came. */
  body: string;
}
