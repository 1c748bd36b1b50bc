/**
 * A processor's object with an unknown state or unknown contents. Such an object is set aside visibly and has no
 * effect.
 */
export class UnfitObject extends Error {}
